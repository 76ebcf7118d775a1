/** Worlds of very many moving spheres, with the bits of the native library. SI units: m, s, kg, rad. */

export type Vector = readonly [number, number, number] | Float64Array;
export type Face = 'open' | 'wall' | 'periodic';
export type BodyType = 'dynamic' | 'static' | 'kinematic';

/** Definition of a world; see kugel_world_def for ranges. Missing members have their default. */
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
    stepEventLimit?: number;
    /** faces: x-min, x-max, y-min, y-max, z-min, z-max; default all open */
    bounds?: { min?: Vector; max?: Vector; faces?: readonly [Face, Face, Face, Face, Face, Face]; restitution?: number; friction?: number };
}

/** Definition of a body; see kugel_body_def. */
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

/** A fixed half space: bodies stay where normal . x >= offset. Missing members are 0; the normal is a unit vector. */
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

export type Target = 'body' | 'face' | 'plane' | 'surface' | 'ellipsoid';

export interface RayHit {
    target: Target;
    /** of the target: id of the body, face 0 ... 5 (x-min, x-max, y-min ...), else as it was added */
    index: number;
    /** 0n for other targets */
    body: bigint;
    /** of a surface; else 0 */
    triangle: number;
    distance: number;
    point: number[];
    /** outward from the target */
    normal: number[];
}

/** A resting contact of a body; see kugel_resting_contact. The normal points from the body to the other side. */
export interface Contact {
    target: 'body' | 'face' | 'plane' | 'surface';
    index: number;
    /** 0n for faces, planes and surfaces */
    other: bigint;
    point: number[];
    normal: number[];
    gap: number;
    force: number;
    friction: number[];
    /** of a surface; else 0 */
    triangle: number;
}

/** An error; `argument` names the wrong argument. The world is unchanged. */
export class KugelError extends Error { argument: string }

/** Handles of bodies are bigints: id in the low 32 bits, generation in the high ones. Errors throw a KugelError. */
export interface World {
    readonly tick: number;
    readonly time: number;
    readonly count: number;
    step(dt: number): void;
    /** Hash of the whole state: the same on every platform. */
    hash(): bigint;
    setGravity(gravity: Vector): void;
    addPlane(plane: Plane): void;
    stats(): Stats;
    createBody(def?: BodyDef): bigint;
    destroyBody(body: bigint): void;
    /** null: the body does not exist. */
    body(body: bigint): BodyState | null;
    setPosition(body: bigint, position: Vector): void;
    setVelocity(body: bigint, velocity: Vector): void;
    setSpin(body: bigint, spin: Vector): void;
    applyForce(body: bigint, force: Vector): void;
    applyTorque(body: bigint, torque: Vector): void;
    applyImpulse(body: bigint, impulse: Vector): void;
    applyAngularImpulse(body: bigint, impulse: Vector): void;
    /** Like applyForce and applyImpulse, with the moment about the centre; the point is in world coordinates, m. */
    applyForceAt(body: bigint, force: Vector, point: Vector): void;
    applyImpulseAt(body: bigint, impulse: Vector, point: Vector): void;
    /** Properties; see kugel/body.h for units, ranges and effects. */
    setMass(body: bigint, mass: number): void;
    setRadius(body: bigint, radius: number): void;
    setFriction(body: bigint, friction: number): void;
    setRestitution(body: bigint, restitution: number): void;
    setRollingResistance(body: bigint, rollingResistance: number): void;
    setGravityScale(body: bigint, gravityScale: number): void;
    /** mass, kg, of a dynamic body; default 1 */
    setType(body: bigint, type: BodyType, mass?: number): void;
    wake(body: bigint): void;
    sleep(body: bigint): void;
    /** Sets the velocity that brings a kinematic body to the position in one step of dt. */
    setTarget(body: bigint, position: Vector, dt: number): void;
    contacts(body: bigint): Contact[];
    /** Views of the engine's memory, without copies: valid until the next call that may allocate. */
    read(): Rows;
    /** The first of the targets (all by default) on a ray of at most `most` lengths of direction; null: no hit. */
    ray(origin: Vector, direction: Vector, most?: number, targets?: readonly Target[]): RayHit | null;
    snapshot(): Uint8Array;
    restore(snapshot: Uint8Array): void;
    /** Frees its memory; the world must not be used afterwards. */
    destroy(): void;
}

export interface Kugel {
    readonly version: string;
    readonly physicsEpoch: number;
    createWorld(def?: WorldDef): World;
}

/** Start an independent engine. The default source is kugel.wasm beside this module. */
export function load(source?: BufferSource): Promise<Kugel>;
