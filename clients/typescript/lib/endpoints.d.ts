/** The app's webhooks, as the engine keeps them; `verify` checks what they bring. */
import type { ChangedWebhook, CreatedWebhook, NewWebhook, RotatedSecret, Webhook } from "./models.js";
import type { Asked } from "./transport.js";
/** What sends a request as the app. */
export type Request = <Document>(method: string, path: string, asked?: Asked) => Promise<Document>;
/** Where the engine sends what happens in the app's games. Every method throws ApiError, Unreachable. */
export declare class Webhooks {
    #private;
    /** Use `Client.webhooks`. */
    constructor(request: Request);
    /** A webhook, whose `secret` is told only here. It is asked for once: if the answer is lost, delete it. */
    create(webhook: NewWebhook): Promise<CreatedWebhook>;
    /** All of the app. */
    list(): Promise<Webhook[]>;
    /** Change one: `{ disabled: true }` pauses it. */
    change(id: string, change: ChangedWebhook): Promise<Webhook>;
    /** Delete one; nothing more is sent. */
    delete(id: string): Promise<void>;
    /** Have an event of the type `ping` sent. */
    ping(id: string): Promise<void>;
    /** A new secret; the former one signs too for a day, or `overlap` seconds. It is asked for once. */
    rotateSecret(id: string, overlap?: number): Promise<RotatedSecret>;
}
