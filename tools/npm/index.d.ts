/** Worlds of very many moving spheres, with the bits of the native library. SI units: m, s, kg, rad. */
/// <reference lib="esnext.disposable" />

/** 3 numbers; results are number[]. */
export type Vector = readonly number[] | Float64Array;
export type Face = 'open' | 'wall' | 'periodic';
/** 4 numbers: x, y, z, w. */
export type Quaternion = readonly number[] | Float64Array | Float32Array;
/** Axes that a body may have locked: rotation is all angular axes, plane is motion in a plane z = const. */
export type Locks = 'linear_x' | 'linear_y' | 'linear_z' | 'angular_x' | 'angular_y' | 'angular_z' | 'rotation' | 'plane';
export type BodyType = 'dynamic' | 'static' | 'kinematic';

/** Definition of a world; see kugel_world_def for ranges. Missing members have their default. */
export interface WorldDef {
    limits?: Limits;
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
    /** faces: x-min, x-max, y-min, y-max, z-min, z-max, or one for all six; default all open */
    bounds?: { min?: Vector; max?: Vector; faces?: Face | readonly [Face, Face, Face, Face, Face, Face]; restitution?: number; friction?: number };
    /** kinds of material of the walls, in the order of faces, 0 ... 63: see setPairMaterial; default 0 */
    faceKinds?: readonly number[];
    /** 1/s, of radii (setGrowth); default 0. */
    growth?: number;
    /** a whole number of 53 bits for the host, which changes no result; default 0 */
    userData?: number;
}

/** Limits for input from strangers, in place of the defaults (0); see kugel_limits. */
export interface Limits { bytes?: number; bodies?: number }

/** Definition of a body; see kugel_body_def. */
export interface BodyDef {
    position?: Vector;
    velocity?: Vector;
    spin?: Vector;
    /** unit quaternion x, y, z, w */
    rotation?: Quaternion;
    radius?: number;
    mass?: number;
    /** kg/m^3; other than 0: in place of mass */
    density?: number;
    restitution?: number;
    friction?: number;
    rollingResistance?: number;
    tangentialRestitution?: number;
    gravityScale?: number;
    /** 1/s, added to that of the world */
    linearDamping?: number;
    angularDamping?: number;
    type?: BodyType;
    category?: number;
    mask?: number;
    group?: number;
    /** of material, 0 ... 63: see setPairMaterial; default 0 */
    kind?: number;
    sensor?: boolean;
    /** see setCanSleep, setEnabled and setContactEvents; default true */
    canSleep?: boolean;
    enabled?: boolean;
    contactEvents?: boolean;
    /** see setLocks; default [] */
    locks?: Locks | readonly Locks[];
    /** how often the body left through the max face of each periodic axis, less how often through the min face */
    image?: readonly number[] | Int32Array;
    /** a whole number of 53 bits for the host, which changes no result; default 0 */
    userData?: number;
}

/** Handles are numbers that JSON keeps, and no handle is given twice. A type checker refuses a handle of another kind; so does
 * the world, as it refuses that of what was removed. */
export type BodyHandle = number & { readonly kind?: 'body' };
export type SurfaceHandle = number & { readonly kind?: 'surface' };

/** A body as it is now; mass is 0 for static and kinematic bodies. */
export interface BodyState {
    body: BodyHandle;
    position: number[];
    velocity: number[];
    spin: number[];
    rotation: number[];
    radius: number;
    mass: number;
    restitution: number;
    friction: number;
    rollingResistance: number;
    tangentialRestitution: number;
    gravityScale: number;
    linearDamping: number;
    angularDamping: number;
    type: BodyType;
    category: number;
    mask: number;
    group: number;
    kind: number;
    sensor: boolean;
    canSleep: boolean;
    enabled: boolean;
    contactEvents: boolean;
    locks: Locks[];
    /** position + image * length of the axis is the unwrapped position, which is continuous */
    image: number[];
    contacts: number;
    asleep: boolean;
    userData: number;
}

/** A surface of shape plane: bodies stay where normal . x >= offset. The normal is a unit vector. Missing members are those
 * of the floor z >= 0. */
export type Plane = Omit<SurfaceDef, 'shape' | 'vertices' | 'triangles' | 'position' | 'rotation'> & { normal?: Vector; offset?: number };

/** Sums over all dynamic bodies; see kugel_energy. */
export interface Energy { kinetic: number; potential: number; momentum: number[] }

/** Counters; see kugel_stats. */
export interface Stats {
    tick: number;
    time: number;
    impacts: number;
    impactsTotal: number;
    restingContacts: number;
    asleep: number;
    budgetsExhausted: number;
    memory: number;
    substeps: number;
    substepsLimited: number;
    listRebuilds: number;
    listRefreshes: number;
    neighborPairs: number;
}

/** All live bodies in id order; position, velocity and spin hold 3 numbers a body. */
export interface Bodies {
    count: number;
    ids: Uint32Array;
    position: Float64Array;
    velocity: Float64Array;
    spin: Float64Array;
}

/** Columns of `readArrays`: all live bodies in id order. */
export interface BodyArrays {
    /** handles */
    bodies: Float64Array;
    /** 3 a body, m */
    position: Float64Array;
    /** 3 a body, m/s */
    velocity: Float64Array;
    /** 3 a body, rad/s */
    spin: Float64Array;
    /** 4 a body: unit quaternions x, y, z, w */
    rotation: Float64Array;
    /** m */
    radius: Float64Array;
    /** 1 while the body sleeps */
    asleep: Uint8Array;
    userData: Float64Array;
    /** 3 a body; see BodyState */
    image: Int32Array;
    /** kg; 0 for static and kinematic bodies */
    mass: Float64Array;
    ids: Uint32Array;
}

/** Columns of `writeArrays`, as in BodyArrays. */
export type WrittenArrays = { [Name in 'position' | 'velocity' | 'spin' | 'rotation' | 'radius' | 'mass']?: readonly number[] | Float64Array };

/** Which bodies a body or surface interacts with; see kugel_body_def. */
export interface BodyFilter { category?: number; mask?: number; group?: number }

/** The kind of what a contact or query has met. */
export type Target = 'body' | 'face' | 'surface';
/** The kinds of targets that a query reports. */
export type Targets = 'bodies' | 'faces' | 'surfaces' | 'all';

/** Targets that a query reports: the kinds in `targets`. A body or surface must match category and mask in both directions
 * and not be in `group`; sensors are reported only if `sensors`. Default: all kinds, all bits, no group, no sensors. */
export interface Filter {
    category?: number;
    mask?: number;
    group?: number;
    sensors?: boolean;
    targets?: Targets | readonly Targets[];
    /** true: of casts, what the sphere touches or overlaps at its start is a hit at time 0. Default false. */
    initial?: boolean;
    /** Called last for a target that passes all other tests, with the handle of a body or surface, or the index of a
     * face: false excludes it. The calls come in any order and may repeat for a target. It may read and query the world, not
     * change it; without a result the target passes. An exception ends the query, which throws it. Default null: all pass. */
    accept?: ((target: Target, handle: number) => boolean | void) | null;
}

/** What a query found: a body in a periodic image, or another target. */
export interface Met {
    /** 0 for other targets */
    body: BodyHandle;
    image: number[];
    target: Target;
    /** of the target: id of the body, face 0 ... 5 (x-min, x-max, y-min ...), else as it was added */
    index: number;
    /** of a surface; else 0 */
    triangle: number;
}

/** A target on a ray; tEnter and tExit in lengths of the direction. Normals point outward from the target. Targets other than
 * bodies have no exit: it is the entry. */
export interface RayHit extends Met {
    startedInside: boolean;
    tEnter: number;
    tExit: number;
    point: number[];
    normal: number[];
    exitPoint: number[];
    exitNormal: number[];
}

/** A target on the path of a sphere, at `time` in 0 ... tMax; gap at the start, m. */
export interface CastHit extends Met {
    touching: boolean;
    approaching: boolean;
    time: number;
    gap: number;
    point: number[];
    normal: number[];
}

/** A target near a point or plane, or in a volume; gap from its surface, m, negative: depth. See kugel_found. */
export interface Found extends Met { gap: number; point: number[]; normal: number[] }

export type Shape = 'mesh' | 'plane' | 'ellipsoid' | 'capsule' | 'cone' | 'box';

/** Definition of a surface, which bodies collide with: a mesh, or a solid shape without vertices and triangles. See
 * kugel_surface_def for ranges and defaults. */
export interface SurfaceDef {
    /** default mesh */
    shape?: Shape;
    /** m, of a solid shape: see kugel_surface_shape */
    size?: Vector;
    /** m, 3 numbers a vertex */
    vertices?: readonly number[] | Float64Array;
    /** indices of vertices, 3 a triangle; counterclockwise seen from the front */
    triangles?: readonly number[] | Uint32Array;
    position?: Vector;
    /** unit quaternion x, y, z, w */
    rotation?: Quaternion;
    velocity?: Vector;
    spin?: Vector;
    /** m/s, of the material along the surface, in its frame. Default 0. */
    tangentVelocity?: Vector;
    restitution?: number;
    friction?: number;
    rollingResistance?: number;
    tangentialRestitution?: number;
    category?: number;
    mask?: number;
    group?: number;
    oneSided?: boolean;
    /** a whole number of 53 bits for the host, which changes no result; default 0 */
    userData?: number;
    /** of material, 0 ... 63: see setPairMaterial; default 0 */
    kind?: number;
    /** of a solid shape: nothing collides with it, and events tell what enters and leaves it; default false */
    sensor?: boolean;
}

/** A surface as it is now. Arrays are copies; vertices are in the surface's frame, and welded. Those of a solid shape show it. */
export interface Surface {
    handle: SurfaceHandle;
    index: number;
    shape: Shape;
    size: number[];
    vertices: Float64Array;
    triangles: Uint32Array;
    position: number[];
    rotation: number[];
    velocity: number[];
    spin: number[];
    tangentVelocity: number[];
    restitution: number;
    friction: number;
    rollingResistance: number;
    tangentialRestitution: number;
    category: number;
    mask: number;
    group: number;
    oneSided: boolean;
    userData: number;
    kind: number;
    sensor: boolean;
    info: SurfaceInfo;
}

/** What the world found in the mesh; see kugel_surface_info. */
export interface SurfaceInfo { welded: number; dropped: number; openEdges: number; branchingEdges: number; facets: number }

/** An impact; see kugel_impact. b is 0 for other targets than bodies; time in s from the start of the tick. */
export interface Impact {
    time: number;
    target: Target;
    index: number;
    a: BodyHandle;
    b: BodyHandle;
    point: number[];
    /** unit, from a towards b or into the target */
    normal: number[];
    /** approach, m/s */
    speed: number;
    /** N s */
    impulse: number;
    /** of a surface; else 0 */
    triangle: number;
}

/** Beginning or end of a resting contact; see kugel_touch. */
export interface Touch { time: number; target: Target; index: number; a: BodyHandle; b: BodyHandle; point: number[]; normal: number[]; triangle: number }

/** A body that fell asleep or woke up. */
export interface Rest { time: number; body: BodyHandle }

/** A body entered or left a sensor, which is a body or a surface; see kugel_sensor_event. */
export interface SensorEvent { time: number; entered: boolean; sensor: BodyHandle; body: BodyHandle; point: number[]; normal: number[]; speed: number; surface: SurfaceHandle }

/** A body that moved, stopped or was placed lately; see kugel_move. */
export interface Move {
    body: BodyHandle;
    userData: number;
    position: number[];
    rotation: number[];
    /** the last step moved it */
    moved: boolean;
    /** a call created it, set its pose or restored the world since the end of the step before the last one */
    placed: boolean;
    /** the step before the last one moved it, the last one did not */
    stopped: boolean;
    fellAsleep: boolean;
}

/** A surface that moved, stopped or was placed lately; flags as those of Move. */
export interface SurfaceMove { surface: SurfaceHandle; userData: number; position: number[]; rotation: number[]; moved: boolean; placed: boolean; stopped: boolean }

/** A resting contact. Of contacts(body) a is that body, of contacts() a has the lower id. See kugel_resting_contact. */
export interface RestingContact {
    target: Target;
    index: number;
    a: number;
    /** 0 for other targets than bodies */
    b: number;
    point: number[];
    /** unit, from a towards b or into the target */
    normal: number[];
    gap: number;
    force: number;
    friction: number[];
    /** of a surface; else 0 */
    triangle: number;
}

/** An impulse away from a point; see kugel_explosion_def. */
export interface ExplosionDef { center?: Vector; radius?: number; falloff?: number; impulse?: number; mask?: number }

export interface SaveDef {
    /** false: a hash stands for each mesh, and the world to restore must have the meshes; default true. */
    meshes?: boolean;
}

/** What a body and a target exchanged in a step: impulses on the target, N s; see kugel_impulse_sum. */
export interface ImpulseSum {
    target: Target;
    index: number;
    a: number;
    /** 0 for other targets than bodies */
    b: number;
    impulse: number[];
    angularImpulse: number[];
    along: number;
    friction: number;
    impacts: number;
}

/** The material of impacts and resting contacts of a pair of kinds; missing members are those of a new body. See kugel_pair_material. */
export interface PairMaterial { restitution?: number; friction?: number; rollingResistance?: number; tangentialRestitution?: number }

/** Two bodies, or a body and a surface, and the material of their impacts and contacts, which a pair filter may change. `b` is 0
 * if the pair has a surface, else `surface` is 0. See kugel_pair. */
export interface Pair { readonly a: BodyHandle; readonly b: BodyHandle; readonly surface: SurfaceHandle; restitution: number; friction: number; rollingResistance: number; tangentialRestitution: number }

/** Whether the two of a pair interact; without a result they do, as without a filter. The result depends on the arguments only, and the
 * function uses neither the world nor its player. An exception ends the call of the world, which is then as it was, and is thrown
 * by that call. */
export type PairFilter = (pair: Pair, key: bigint) => boolean | void;

/** Properties of a snapshot; see kugel_snapshot_info. */
export interface SnapshotInfo { format: number; physicsEpoch: number; tick: number; time: number; bodies: number; contacts: number; exact: boolean }

/** Settings of a sync test; see kugel_sync_def. Defaults: 60 ticks of 1/60 s, no input. */
export interface SyncDef { ticks?: number; dt?: number; input?: (world: World, tick: number) => void }

/** Settings of a recording; see kugel_recording_def. */
export interface RecordingDef { annotation?: string | Uint8Array; states?: boolean; ringTicks?: number; keyframeTicks?: number }

/** Properties of a recording; see kugel_recording_info. */
export interface RecordingInfo {
    format: number;
    physicsEpoch: number;
    ticks: number;
    origin: number;
    bytes: number;
    lost: number;
    damaged: boolean;
    closed: boolean;
    states: boolean;
    /** True: the world had a pair filter, which Player.setPairFilter must give to the player. */
    pairFilter: boolean;
    keyframes: number;
}

/** The first difference of a played tick from the recorded one. body null: only the hashes were compared. */
export interface Divergence { tick: number; body: number | null; field: string; expected: number; found: number }

/** The kind of an error; see kugel_status. */
export type Status = 'ok' | 'invalid_argument' | 'out_of_memory' | 'stale_handle' | 'uninitialized_def' | 'floating_point' | 'limit' | 'format' | 'io' | 'state';

/** An error; `argument` names the wrong argument, or those of a query of which one is wrong. The world is unchanged. */
export class KugelError extends Error { argument: string; status: Exclude<Status, 'ok'> }

/** The id in a handle: 0, 1, 2 ... in the order of creation until a body is destroyed. */
export function bodyId(body: BodyHandle): number;

/** The index in a handle: that of events, contacts and hits. */
export function surfaceIndex(surface: SurfaceHandle): number;

/** The words of targets in the order of their numbers in columns. */
export const TARGETS: readonly Target[];

/** A column of a list: a flag is 1 or 0, a target is an index in TARGETS, vectors follow each other. */
export type Column<Name, Value> = Name extends 'index' | 'triangle' ? Uint32Array : Name extends 'image' ? Int32Array : Value extends boolean | string ? Uint8Array : Float64Array;
/** A copy of rows: a typed array for each member, made when it is first read. Iterated, it makes an object of each row, which
 * takes much longer. */
export type List<Row> = Iterable<Row> & { readonly count: number } & { readonly [Name in keyof NonNullable<Row>]: Column<Name, NonNullable<Row>[Name]> };
/** A row for each ray. Without a hit `hit` is 0, and the row null. */
export type RayHits = List<RayHit | null> & { readonly hit: Uint8Array };

/** Definition of many bodies: a member is that of BodyDef for all bodies, or a list with the value of each; vectors follow each
 * other. */
export type BodiesDef = { [Name in Exclude<keyof BodyDef, 'position'>]?: BodyDef[Name] | ArrayLike<Required<BodyDef>[Name] extends ArrayLike<number> ? number : Required<BodyDef>[Name]> };

/** Errors throw a KugelError. A world that is collected as garbage is destroyed; its pair filter must not refer to it then. */
export interface World {
    readonly tick: number;
    readonly time: number;
    readonly bodyCount: number;
    /** All ids of bodies are below this number. */
    readonly idEnd: number;
    /** a whole number of 53 bits for the host, which changes no result */
    userData: number;
    step(dt: number): void;
    /** Hash of the whole state: the same on every platform. */
    hash(): bigint;
    setGravity(gravity: Vector): void;
    /** From the next step on; null: none. Sleeping bodies wake. The key (64 bits, default 0n) is recorded: it names the rules
     * that apply. The filter is not part of the state; a clone has it, too. */
    setPairFilter(decide: PairFilter | null, key?: bigint): void;
    /** The radii of the dynamic bodies grow by this share a second, 1/s, while they collide; 0: no longer. */
    setGrowth(growth: number): void;
    /** Scales the velocities of the dynamic bodies relative to their centre of mass, so that their temperature, k_B T in J, is this. */
    setTemperature(temperature: number): void;
    /** Gives each dynamic body, with a probability (default 1), a new velocity from Maxwell's distribution. seed: 53 bits, default 1. */
    drawVelocities(temperature: number, probability?: number, seed?: number): void;
    /** Sets the contact material of two kinds of material, which bodies, surfaces and walls have. null: the pair has the usual rules. */
    setPairMaterial(kindA: number, kindB: number, material: PairMaterial | null): void;
    /** null: the table has no such pair. */
    getPairMaterial(kindA: number, kindB: number): Required<PairMaterial> | null;
    /** null: there is no pair filter. */
    readonly pairFilterKey: bigint | null;
    /** The definition, with the present gravity, growth and user data. */
    getDef(): Required<WorldDef>;
    /** Copies the mesh and returns the handle; the surface gets the lowest free index. A surface that was read can be added again. */
    createSurface(def: SurfaceDef | Surface): SurfaceHandle;
    /** As createSurface, for a plane. */
    createPlane(def?: Plane): SurfaceHandle;
    destroySurface(surface: SurfaceHandle): void;
    /** Puts a surface elsewhere; its resting contacts end. Default of rotation: 0, 0, 0, 1. */
    setSurfacePose(surface: SurfaceHandle, position: Vector, rotation?: Quaternion): void;
    /** Lets a surface move from the next step on: velocity, m/s, of its frame's origin, and spin about it, rad/s, default 0. */
    setSurfaceMotion(surface: SurfaceHandle, velocity: Vector, spin?: Vector): void;
    /**
     * Sets the motion so that after one step of dt, s, or after several that take dt together, the surface is at the
     * position, m, with the rotation. null: the velocity, or the spin, stays as it is.
     */
    setSurfaceTarget(surface: SurfaceHandle, position: Vector | null, rotation: Quaternion | null, dt: number): void;
    /** Lets the material of a surface run along it, m/s in its frame, as a conveyor belt; the surface stays where it is. */
    setSurfaceTangentVelocity(surface: SurfaceHandle, velocity: Vector): void;
    /** Sets the material of a surface; bodies that rest on it wake. Defaults: 0, 0.5, 0, 0. */
    setSurfaceMaterial(surface: SurfaceHandle, restitution?: number, friction?: number, rollingResistance?: number, tangentialRestitution?: number): void;
    /** From the next step on; missing members have the default of a new surface. */
    setSurfaceFilter(surface: SurfaceHandle, filter: BodyFilter): void;
    /** 0 ... 63: see setPairMaterial. Bodies that rest on the surface wake. */
    setSurfaceKind(surface: SurfaceHandle, kind: number): void;
    setSurfaceUserData(surface: SurfaceHandle, userData: number): void;
    getSurfaceUserData(surface: SurfaceHandle): number;
    /** In the order of their indices. */
    surfaces(): Surface[];
    /** The handle of the surface with an index, as in events of the last step; null: there is none. */
    surface(index: number): SurfaceHandle | null;
    /** A world in the same state, with the ends of contacts that no step has reported; not recorded. */
    clone(): World;
    stats(): Stats;
    /** Energies (J) and momentum (kg m/s) of all dynamic bodies. */
    energy(): Energy;
    createBody(def?: BodyDef | BodyState): BodyHandle;
    /** Bodies at the positions, 3 numbers each, m; returns their handles. When one is refused, the bodies before it exist, and
     * the message begins with its row. */
    createBodies(position: readonly number[] | Float64Array, def?: BodiesDef): Float64Array;
    destroyBody(body: BodyHandle): void;
    /** True if the body or surface exists in this world. */
    isValid(handle: BodyHandle | SurfaceHandle): boolean;
    /** A body that does not exist is an error, as in the calls that follow. */
    getBody(body: BodyHandle): BodyState;
    getPosition(body: BodyHandle): number[];
    getVelocity(body: BodyHandle): number[];
    /** Of a point that moves with the body: velocity + spin x (point - centre), m/s. */
    velocityAt(body: BodyHandle, point: Vector): number[];
    getSpin(body: BodyHandle): number[];
    getRotation(body: BodyHandle): number[];
    getUserData(body: BodyHandle): number;
    setPosition(body: BodyHandle, position: Vector): void;
    setVelocity(body: BodyHandle, velocity: Vector): void;
    setSpin(body: BodyHandle, spin: Vector): void;
    /** At a point, m, also with the moment about the centre. */
    applyForce(body: BodyHandle, force: Vector, point?: Vector | null): void;
    applyTorque(body: BodyHandle, torque: Vector): void;
    applyImpulse(body: BodyHandle, impulse: Vector, point?: Vector | null): void;
    applyAngularImpulse(body: BodyHandle, impulse: Vector): void;
    /** Properties; see kugel/body.h for units, ranges and effects. */
    setMass(body: BodyHandle, mass: number): void;
    setRadius(body: BodyHandle, radius: number): void;
    /** Defaults are those of a new body. */
    setMaterial(body: BodyHandle, restitution?: number, friction?: number, rollingResistance?: number, tangentialRestitution?: number): void;
    /** Of material, 0 ... 63: see setPairMaterial. */
    setKind(body: BodyHandle, kind: number): void;
    setGravityScale(body: BodyHandle, gravityScale: number): void;
    setDamping(body: BodyHandle, linear?: number, angular?: number): void;
    setSensor(body: BodyHandle, sensor: boolean): void;
    /** false: the body does not fall asleep by itself */
    setCanSleep(body: BodyHandle, canSleep: boolean): void;
    /** false: the body takes part in nothing until it is enabled again, at rest */
    setEnabled(body: BodyHandle, enabled: boolean): void;
    /** false: impacts and touches of the body are not reported, but those with a body that reports its own */
    setContactEvents(body: BodyHandle, contactEvents: boolean): void;
    /** Lock axes of a dynamic body: nothing moves it along them. [] frees all. */
    setLocks(body: BodyHandle, locks: Locks | readonly Locks[]): void;
    /** mass, kg, of a dynamic body; default 1 */
    setType(body: BodyHandle, type: BodyType, mass?: number): void;
    /** From the next step on; missing members have the default of a new body. */
    setFilter(body: BodyHandle, filter: BodyFilter): void;
    /** The handle of the live body with an id; null: there is none. */
    body(id: number): BodyHandle | null;
    /** Whole numbers of 32 bits, 0 along axes that are not periodic; see BodyState. */
    setImage(body: BodyHandle, image: readonly number[] | Int32Array): void;
    setUserData(body: BodyHandle, userData: number): void;
    wake(body: BodyHandle): void;
    sleep(body: BodyHandle): void;
    /** Sets the motion that brings a kinematic body to a place and a rotation in one step of dt; null: none. */
    setTarget(body: BodyHandle, position: Vector | null, rotation: Quaternion | null, dt: number): void;
    setRotation(body: BodyHandle, rotation: Quaternion): void;
    /** Returns the number of bodies pushed. */
    explode(def: ExplosionDef): number;
    /** Resting contacts of a body, or of the world. */
    contacts(body?: BodyHandle): List<RestingContact>;
    /** Events of the last step. */
    impactEvents(): List<Impact>;
    beginEvents(): List<Touch>;
    endEvents(): List<Touch>;
    sleepEvents(): List<Rest>;
    wakeEvents(): List<Rest>;
    sensorEvents(): List<SensorEvent>;
    /** The bodies that are in a sensor now, by id. */
    sensorBodies(sensor: BodyHandle): BodyHandle[];
    /** The same of a surface that is a sensor. */
    surfaceBodies(surface: SurfaceHandle): BodyHandle[];
    /** From the next step on, sum what each body exchanges with each target: impulseSums(). */
    sumImpulses(on: boolean): void;
    /** What bodies and targets exchanged in the last step; empty if it did not sum impulses. */
    impulseSums(): List<ImpulseSum>;
    /** From the next step on, impactEvents() leaves out impacts below this speed, m/s. */
    reportImpactsAbove(speed: number): void;
    /** The bodies that moved, stopped or were placed lately, in id order. Read after each step they keep a copy of all poses up to date. */
    moves(): List<Move>;
    /** The surfaces that moved, stopped or were placed lately, by index. */
    surfaceMoves(): List<SurfaceMove>;
    /** Views of the engine's memory, without copies: valid until the next read() or a call that may allocate. */
    read(): Bodies;
    /** Columns that are named, without names all of them. Views, valid until the next readArrays() or a call that may allocate. */
    readArrays<Name extends keyof BodyArrays = keyof BodyArrays>(...names: Name[]): Pick<BodyArrays, Name>;
    /** Sets columns of bodies, all or none, row by row as setPosition and so on; an error names the row. Without handles: of all
     * bodies in id order, as readArrays has them. */
    writeArrays(bodies?: readonly BodyHandle[] | Float64Array | null, columns?: WrittenArrays): void;
    /** getBody for all live bodies, in id order. */
    readStates(): BodyState[];
    /** Positions between those of two ticks, which read() gave; alpha in [0, 1]. Along periodic axes on the shortest way. */
    interpolatePositions(from: Float64Array, to: Float64Array, alpha: number): Float64Array;
    /** Builds the index that the first query after a step would build. */
    prepareQueries(): void;
    /** The first target on a ray of at most tMax lengths of direction; null: no hit. */
    rayClosest(origin: Vector, direction: Vector, tMax?: number, filter?: Filter): RayHit | null;
    rayAny(origin: Vector, direction: Vector, tMax?: number, filter?: Filter): boolean;
    rayAll(origin: Vector, direction: Vector, tMax?: number, filter?: Filter): RayHit[];
    /** rayClosest for many rays at once: 3 numbers each, or for all rays, and one tMax or one for each. One invalid ray is an
     * error for all. */
    raysClosest(origins: readonly number[] | Float64Array, directions: readonly number[] | Float64Array, tMax?: number | readonly number[] | Float64Array, filter?: Filter): RayHits;
    /** The first target that a sphere (radius, m) meets on its path from origin to origin + tMax * direction; tMax is 1 by
     * default. */
    castClosest(origin: Vector, direction: Vector, radius: number, tMax?: number, filter?: Filter): CastHit | null;
    castAny(origin: Vector, direction: Vector, radius: number, tMax?: number, filter?: Filter): boolean;
    castAll(origin: Vector, direction: Vector, radius: number, tMax?: number, filter?: Filter): CastHit[];
    /** Targets that touch a volume, by (target, index). A sphere of radius 0 is a point. */
    overlapSphere(center: Vector, radius: number, filter?: Filter): Found[];
    overlapBox(min: Vector, max: Vector, filter?: Filter): Found[];
    overlapEllipsoid(center: Vector, semiAxes: Vector, rotation?: Quaternion, filter?: Filter): Found[];
    /** The `count` targets (default 1) that are nearest to a point, with a gap of at most maxGap (m). */
    nearest(point: Vector, count?: number, maxGap?: number, filter?: Filter): Found[];
    /** Bodies in front of a plane (side 1), behind it (-1) or cut by it (0). */
    planeSide(normal: Vector, offset: number, side: -1 | 0 | 1, filter?: Filter): Found[];
    /** The state as bytes. */
    save(def?: SaveDef): Uint8Array;
    restore(snapshot: Uint8Array): void;
    /** Runs the ticks, restores the state, runs them again and compares the whole state at each; null: both runs agree. The
     * world then has the final state, else the one before. `input` makes a tick's calls, which must depend on tick and state only. */
    syncTest(def?: SyncDef): Divergence | null;
    /** Record all calls from now on. */
    startRecording(def?: RecordingDef): void;
    /** The bytes that were recorded since the last call: parts of one file. */
    takeRecording(): Uint8Array;
    /** Marks the present state as tick 0 of the recording: the calls so far make the world. Before the first step. */
    markRecording(): void;
    /** Ends the recording and returns its last bytes. */
    stopRecording(): Uint8Array;
    /** The error that ended the recording before it was stopped; null: it continues, or there is none. */
    readonly recordingError: KugelError | null;
    /** The last ticks of a recording with ringTicks, as a recording of their own; the recording continues. */
    dumpRecording(): Uint8Array;
    /** Frees the world's memory. Later calls throw, except destroy(). */
    destroy(): void;
    /** destroy(), for `using world = ...`. */
    [Symbol.dispose](): void;
}

/** Plays a recording in a world of its own. Recordings packed with zstd (of the native programs) are refused here;
 * `kugel-replay rewrite FILE -o OUT` and Player.rewrite() of Python write them unpacked. */
export interface Player {
    readonly info: RecordingInfo;
    /** Of startRecording, as bytes. */
    readonly annotation: Uint8Array;
    /** Of the recording, 0 ... info.ticks, as in seek; that of the world is world().tick. */
    readonly tick: number;
    /** Plays a tick and compares it with the recorded one: 'tick' if it is as recorded, 'end' if the recording has no further
     * tick, else the first difference. */
    step(): 'tick' | 'end' | Divergence;
    /** Plays all ticks; null: every one is as recorded. */
    verify(): Divergence | null;
    /** At the tick of a keyframe the world has no events: seek to the tick before and step to have them. */
    seek(tick: number): void;
    /** Memory for snapshots of played ticks, as starts of seeks; 0: none. */
    cacheKeyframes(bytes: number): void;
    /** The function that the recorded world had; it gets the recorded keys. After an error of a step, seek. */
    setPairFilter(decide: PairFilter | null): void;
    /** The recorded hash of a tick, 1 ... info.ticks; 0n for others. */
    hash(tick: number): bigint;
    /** The played bodies; views, as those of World.read and World.readArrays. */
    read(): Bodies;
    readArrays<Name extends keyof BodyArrays = keyof BodyArrays>(...names: Name[]): Pick<BodyArrays, Name>;
    /** A world in the played state. */
    world(): World;
    /** Frees the player's memory, as the garbage collector does in the end. Later calls throw, except close(). */
    close(): void;
    /** close(), for `using player = ...`. */
    [Symbol.dispose](): void;
}

/** Vertices and triangles of a surface: world.createSurface({ ...kugel.shapes.box({ half: [1, 1, 1] }), friction: 0.5 }). */
export interface Mesh { vertices: Float64Array; triangles: Uint32Array }

/** Meshes of simple shapes; see kugel/mesh_shapes.h for their fronts. Lengths in m; missing members have the default. */
export interface Shapes {
    /** A parallelogram; its front is where a x b points. Default: the unit square. */
    rectangle(shape?: { corner?: Vector; a?: Vector; b?: Vector }): Mesh;
    /** A closed box around the origin; half lengths, default 0.5. */
    box(shape?: { half?: Vector }): Mesh;
    /** Vertex i + nx j is at origin + (i dx, j dy, heights[i + nx j]); dx and dy default to 1. Its front is up. */
    heightField(shape: { nx: number; ny: number; heights: readonly number[] | Float64Array; origin?: Vector; dx?: number; dy?: number }): Mesh;
    /** Default: of radius 0.5 around the origin, its front up. segments: 3 ... 1024, default 32. */
    disc(shape?: { center?: Vector; normal?: Vector; radius?: number; segments?: number }): Mesh;
    /** A cone, its frustum or a cylinder. Default: from the origin, radius 0.5, to a tip at 0, 0, 1, with both caps. */
    cone(shape?: { from?: Vector; to?: Vector; radiusFrom?: number; radiusTo?: number; segments?: number; caps?: 'none' | 'from' | 'to' | 'both' }): Mesh;
    /** A sphere if from and to are the same point. segments: a multiple of 4. */
    capsule(shape?: { from?: Vector; to?: Vector; radius?: number; segments?: number }): Mesh;
}

export interface Kugel {
    readonly version: string;
    readonly physicsEpoch: number;
    createWorld(def?: WorldDef): World;
    readonly shapes: Shapes;
    /** Rotations between those of two ticks, which readArrays('rotation') gave, on the shorter arc; alpha in [0, 1]. */
    interpolateRotations(from: Float64Array, to: Float64Array, alpha: number): Float64Array;
    openPlayer(recording: Uint8Array, limits?: Limits): Player;
    /** Properties of a snapshot; throws what is wrong with it. */
    checkSnapshot(snapshot: Uint8Array): SnapshotInfo;
    /** The first difference of two snapshots; null: they are equal. See kugel_snapshot_difference. */
    snapshotDifference(expected: Uint8Array, found: Uint8Array): Divergence | null;
    /** The difference between two snapshots, for the network. */
    makeDelta(base: Uint8Array, snapshot: Uint8Array): Uint8Array;
    /** The snapshot that a delta was made of. */
    applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array;
}

/** kugel.wasm: compiled, as it arrives, where it is, or its bytes. */
export type Source = WebAssembly.Module | Response | URL | BufferSource;

/** Start an independent engine. The default source is kugel.wasm beside this module. A URL may be of a file under node. A
 * compiled module serves many engines, and can be posted to workers. */
export function load(source?: Source | Promise<Source>): Promise<Kugel>;
