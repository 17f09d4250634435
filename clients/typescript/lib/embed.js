/** A table of the engine in a frame of somebody's page, and the messages between the two. */
/**
 * Hear what the table in a frame tells: messages of that frame, from the origin of the engine, and of no other. `engine`: the
 * address of the engine.
 */
export function onTable(frame, engine, heard) {
    const { origin } = new URL(engine);
    const listen = ({ source, origin: from, data }) => {
        if (source === frame.contentWindow && from === origin && data?.protocol === 1) {
            heard(data);
        }
    };
    addEventListener("message", listen);
    return {
        tell: (message) => frame.contentWindow?.postMessage({ protocol: 1, ...message }, origin),
        stop: () => removeEventListener("message", listen),
    };
}
