// Starts the worker: connects its messages with run.mjs.
import { makeRun } from './run.mjs';

const run = makeRun((message, transfer) => postMessage(message, transfer));
onmessage = ({ data: [name, ...values] }) => run[name](...values);
