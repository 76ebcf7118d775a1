/** Worlds of very many moving spheres, with the bits of the native library. SI units: m, s, kg, rad. */

export type Vector = readonly [number, number, number] | Float64Array;
export type Face = 'open' | 'wall' | 'periodic';
export type BodyType = 'dynamic' | 'static' | 'kinematic';

/** What a world is made of; see kugel_world_def for ranges. What is left out has the default. */
export interface WorldDef {
    gravity?: Vector;
    substeps?: number;
    bounceThreshold?: number;
    slop?: number;
    linearDamping?: number;
    angularDamping?: number;
    sleep?: boolean;
    contactIterations?: number;
    impactBudget?: number;
    /** faces: x-min, x-max, y-min, y-max, z-min, z-max; default all open */
    bounds?: { min?: Vector; max?: Vector; faces?: readonly [Face, Face, Face, Face, Face, Face]; restitution?: number; friction?: number };
}

/** What a body is made of; see kugel_body_def. */
export interface BodyDef {
    position?: Vector;
    velocity?: Vector;
    spin?: Vector;
    /** unit quaternion x, y, z, w */
    orientation?: readonly [number, number, number, number];
    radius?: number;
    mass?: number;
    restitution?: number;
    friction?: number;
    rollingResistance?: number;
    gravityScale?: number;
    type?: BodyType;
    category?: number;
    mask?: number;
    group?: number;
    sensor?: boolean;
}

/** A body as it is now; mass is 0 for static and kinematic bodies. */
export interface BodyState {
    position: number[];
    velocity: number[];
    spin: number[];
    orientation: number[];
    radius: number;
    mass: number;
    restitution: number;
    friction: number;
    rollingResistance: number;
    gravityScale: number;
    type: BodyType;
    category: number;
    mask: number;
    group: number;
    sensor: boolean;
    contacts: number;
    asleep: boolean;
}

/** A fixed half space: points with normal . x >= offset are free. What is left out is 0; the normal is a unit vector. */
export interface Plane { normal: Vector; offset?: number; restitution?: number; friction?: number }

export interface Stats {
    kineticEnergy: number;
    potentialEnergy: number;
    momentum: number[];
    impacts: number;
    impactsTotal: number;
    restingContacts: number;
    asleep: number;
    budgetsExhausted: number;
    memory: number;
}

/** All live bodies in id order; positions, velocities and spins hold 3 numbers a body. */
export interface Rows {
    count: number;
    ids: Uint32Array;
    positions: Float64Array;
    velocities: Float64Array;
    spins: Float64Array;
}

export interface RayHit { body: bigint; distance: number; point: number[]; normal: number[] }

/** A refused call; `argument` names what was wrong. The world is as it was. */
export class KugelError extends Error { argument: string }

/** Handles of bodies are bigints: id in the low 32 bits, generation in the high ones. Refused calls throw a KugelError. */
export interface World {
    readonly tick: number;
    readonly time: number;
    readonly count: number;
    step(dt: number): void;
    /** Of the whole state: the same on every platform. */
    hash(): bigint;
    setGravity(gravity: Vector): void;
    addPlane(plane: Plane): void;
    stats(): Stats;
    createBody(def?: BodyDef): bigint;
    destroyBody(body: bigint): void;
    /** null: there is no such body (any more). */
    body(body: bigint): BodyState | null;
    setPosition(body: bigint, position: Vector): void;
    setVelocity(body: bigint, velocity: Vector): void;
    setSpin(body: bigint, spin: Vector): void;
    applyForce(body: bigint, force: Vector): void;
    applyTorque(body: bigint, torque: Vector): void;
    applyImpulse(body: bigint, impulse: Vector): void;
    applyAngularImpulse(body: bigint, impulse: Vector): void;
    /** Views of the engine's memory, without copies: valid until the next call that may take memory. */
    read(): Rows;
    /** The first body on a ray of at most `most` lengths of direction; null: none. */
    ray(origin: Vector, direction: Vector, most?: number): RayHit | null;
    snapshot(): Uint8Array;
    restore(snapshot: Uint8Array): void;
    /** Give its memory back; it must not be used any more. */
    destroy(): void;
}

export interface Kugel {
    readonly version: string;
    readonly physicsEpoch: number;
    createWorld(def?: WorldDef): World;
}

/** Start an engine of its own. Without a source it is kugel.wasm beside this module. */
export function load(source?: BufferSource): Promise<Kugel>;
