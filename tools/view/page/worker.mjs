// The worker's last lines.
import { makeRun } from './run.mjs';

const run = makeRun((message, transfer) => postMessage(message, transfer));
onmessage = ({ data: [name, ...values] }) => run[name](...values);
