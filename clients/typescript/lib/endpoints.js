/** The app's webhooks, as the engine keeps them; `verify` checks what they bring. */
/** Where the engine sends what happens in the app's games. Every method throws ApiError, Unreachable. */
export class Webhooks {
    #request;
    /** Use `Client.webhooks`. */
    constructor(request) {
        this.#request = request;
    }
    /** A webhook, whose `secret` is told only here. It is asked for once: if the answer is lost, delete it. */
    create(webhook) {
        return this.#request("POST", "/v1/webhooks", { body: webhook, repeat: false });
    }
    /** All of the app. */
    async list() {
        return (await this.#request("GET", "/v1/webhooks")).webhooks;
    }
    /** Change one: `{ disabled: true }` pauses it. */
    change(id, change) {
        return this.#request("PATCH", pathOf(id), { body: change });
    }
    /** Delete one; nothing more is sent. */
    async delete(id) {
        await this.#request("DELETE", pathOf(id));
    }
    /** Have an event of the type `ping` sent. */
    async ping(id) {
        await this.#request("POST", `${pathOf(id)}/ping`);
    }
    /** A new secret; the former one signs too for a day, or `overlap` seconds. It is asked for once. */
    rotateSecret(id, overlap) {
        const body = overlap === undefined ? {} : { overlap };
        return this.#request("POST", `${pathOf(id)}/secret`, { body, repeat: false });
    }
}
function pathOf(id) {
    return `/v1/webhooks/${encodeURIComponent(id)}`;
}
