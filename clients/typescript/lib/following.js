/** A game's events followed along the chain of their heads, kept, and compared with the record when the game is over. */
import { Altered } from "./errors.js";
const SHOWN = ["type", "schema", "at", "seat", "commitment", "head"];
const DIGEST = /^[0-9a-f]{64}$/;
const START = { 1: "00".repeat(32), 2: `${"00".repeat(31)}02` };
const encoder = new TextEncoder();
/** Checks events as they come, and keeps them. */
export class Follower {
    #kept = new Map();
    #keep;
    #look;
    #version = 0;
    #head = "";
    #form = 1;
    constructor({ kept = [], keep = () => undefined, look } = {}) {
        this.#keep = keep;
        this.#look = look;
        for (const event of kept) {
            if (!this.#kept.has(event.version)) {
                this.#kept.set(event.version, event);
            }
        }
    }
    /**
     * One more event. Throws Altered if it is not what it was, or not what the engine is bound to. `isLate`: the game was
     * over before anything was followed, so that the event is no memory of it.
     */
    async take(event, isLate = false) {
        if (!isEvent(event)) {
            throw new Altered(this.#version + 1, "it is no event");
        }
        const { version } = event;
        const before = this.#kept.get(version);
        if (before && differ(before, event)) {
            throw new Altered(version, "it was shown otherwise before");
        }
        if (version !== this.#version + 1) {
            throw new Altered(version, `it comes after event ${this.#version}`);
        }
        await this.#link(event);
        if (!before && !isLate) {
            this.#kept.set(version, event);
            await this.#keep(event);
        }
    }
    /** The result of the comparison with all events of the game, now that nothing is hidden. Throws Altered. */
    async conclude(events) {
        this.#version = 0;
        for await (const event of events) {
            await this.take(event, true);
        }
        const beyond = [...this.#kept.keys(), this.#look?.version ?? 0].filter((version) => version > this.#version);
        if (beyond.length) {
            throw new Altered(Math.min(...beyond), "it is not recorded");
        }
        return { seen: this.#kept.size, of: this.#version };
    }
    async #link(event) {
        const { version, commitment } = event;
        if (version === 1) {
            this.#form = event.sealed ? 2 : 1;
            this.#head = START[this.#form] ?? "";
            if ((event.data.seals ?? 1) !== this.#form) {
                throw new Altered(version, "it names another form than it has");
            }
        }
        const made = await committed(event, this.#form);
        if (made !== undefined && made !== commitment) {
            throw new Altered(version, "it does not match its commitment");
        }
        const head = await sha256(bytes(this.#head), bytes(commitment));
        if (head !== event.head) {
            throw new Altered(version, "its head does not follow from the one before");
        }
        if (this.#look) {
            checkLook(this.#look, event);
        }
        [this.#version, this.#head] = [version, head];
    }
}
/** Throws Altered for an event that is not as the seat said before it was taken, or that has another client seed. */
function checkLook({ version, head, fairness, options, setup, seat, client_seed }, event) {
    if (version === event.version && head !== event.head) {
        throw new Altered(event.version, "it has another head than the seat showed before it was taken");
    }
    if (event.version === 1 && fairness) {
        for (const [name, value] of Object.entries({ commitment: fairness.commitment, options, setup })) {
            if (!same(event.data[name], value)) {
                throw new Altered(1, `it has another ${name} than the seat showed before it was taken`);
            }
        }
    }
    if (event.type === "seat_taken" && event.seat === seat && event.data.client_seed !== client_seed) {
        throw new Altered(event.version, "it has another client seed than the seat was taken with");
    }
}
/** Whether it has the members of an event, of their types; it may have others, which nothing binds. */
function isEvent(document) {
    if (!isObject(document) || !["version", "data", "redacted", ...SHOWN].every((name) => Object.hasOwn(document, name))) {
        return false;
    }
    const { version, data, redacted, commitment, head, salt, sealed = {}, salts = {} } = document;
    if (Object.hasOwn(document, "sealed") !== Object.hasOwn(document, "salts")) {
        return false;
    }
    if (!Number.isInteger(version) || !Array.isArray(redacted) || !redacted.every((name) => typeof name === "string")) {
        return false;
    }
    if (![data, sealed, salts].every(isObject) || !Object.keys(salts).every((pointer) => Object.hasOwn(sealed, pointer))) {
        return false;
    }
    const digests = [commitment, head, ...Object.values(sealed), ...Object.values(salts)];
    if (!document.sealed && !redacted.length) {
        digests.push(salt);
    }
    return digests.every((digest) => typeof digest === "string" && DIGEST.test(digest));
}
/** Whether an event was shown otherwise than it is recorded, wherever neither hides anything. */
function differ(kept, recorded) {
    if (SHOWN.some((name) => !same(kept[name], recorded[name])) || !same(Object.keys(kept.data).sort(), Object.keys(recorded.data).sort())) {
        return true;
    }
    const names = Object.keys(kept.data);
    return names.some((name) => !agree(kept.data[name], recorded.data[name], kept.redacted.includes(name), recorded.redacted.includes(name)));
}
function agree(kept, recorded, hides, lacks) {
    if ((hides && kept === null) || (lacks && recorded === null)) {
        return true;
    }
    if (!isNest(kept) || !isNest(recorded) || Array.isArray(kept) !== Array.isArray(recorded)) {
        return same(kept, recorded);
    }
    const names = Object.keys(kept);
    return same(names.sort(), Object.keys(recorded).sort()) && names.every((name) => agree(kept[name], recorded[name], hides, lacks));
}
const isObject = (value) => isNest(value) && !Array.isArray(value);
const isNest = (value) => typeof value === "object" && value !== null;
const same = (one, other) => canonical(one ?? null) === canonical(other ?? null);
/** RFC 8785: members sorted, nothing between; JSON.stringify writes strings and numbers as it demands. */
function canonical(value) {
    if (Array.isArray(value)) {
        return `[${value.map(canonical).join(",")}]`;
    }
    if (!isNest(value)) {
        return JSON.stringify(value);
    }
    const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
    return `{${members.join(",")}}`;
}
/**
 * The commitment that the event must have; undefined if what is hidden keeps it from being known. Throws Altered for a
 * member that is shown, and not as its digest says.
 */
async function committed({ version, type, schema, at, seat, data, redacted, salt, sealed, salts }, form) {
    const event = { version, type, schema, at, seat };
    if (Boolean(sealed) !== (form !== 1)) {
        throw new Altered(version, "it has not the form of the first event");
    }
    if (form === 1) {
        return redacted.length ? undefined : sha256(bytes(salt), encoder.encode(canonical({ ...event, data })));
    }
    const bare = structuredClone(data);
    for (const pointer of Object.keys(sealed).sort()) {
        const steps = pointer.split("/").slice(1).map(unescaped);
        const isWritten = ["", ...steps.map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1"))].join("/") === pointer;
        const last = steps.pop() ?? "";
        const part = steps.reduce((found, step) => (has(found, step) ? found[step] : null), bare);
        if (!isWritten || !has(part, last)) {
            throw new Altered(version, `${pointer} is not there`);
        }
        const value = part[last];
        part[last] = null;
        const found = salts[pointer];
        const isHidden = value === null;
        if (isHidden !== !found || (!isHidden && (await sha256(bytes(found), encoder.encode(canonical([pointer, value])))) !== sealed[pointer])) {
            throw new Altered(version, `${pointer} does not match its digest`);
        }
    }
    const hidden = Object.keys(sealed).filter((pointer) => !salts[pointer]).map((pointer) => unescaped(pointer.split("/")[1] ?? ""));
    if (!same([...new Set(hidden)].sort(), redacted)) {
        throw new Altered(version, "it does not say what it hides");
    }
    return sha256(encoder.encode(canonical({ ...event, data: bare, sealed })));
}
/** Whether a member has that name, or an item that number: in JavaScript a list has a `length`, too. */
function has(part, step) {
    return isNest(part) && Object.hasOwn(part, step) && !(Array.isArray(part) && step === "length");
}
const unescaped = (step) => step.replaceAll("~1", "/").replaceAll("~0", "~");
function bytes(hex) {
    return Uint8Array.from({ length: hex.length / 2 }, (_, at) => parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}
async function sha256(...parts) {
    const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
    parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
