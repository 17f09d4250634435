/** The app's webhooks, as the engine keeps them; `verify` checks what they bring. */

import type { ChangedWebhook, CreatedWebhook, NewWebhook, RotatedSecret, Webhook } from "./models.js";
import type { Asked } from "./transport.js";

/** What sends a request as the app. */
export type Request = <Document>(method: string, path: string, asked?: Asked) => Promise<Document>;

/** Where the engine sends what happens in the app's games. Every method throws ApiError, Unreachable. */
export class Webhooks {
  readonly #request: Request;

  /** Use `Client.webhooks`. */
  constructor(request: Request) {
    this.#request = request;
  }

  /** A webhook, whose `secret` is told only here. It is asked for once: if the answer is lost, delete it. */
  create(webhook: NewWebhook): Promise<CreatedWebhook> {
    return this.#request("POST", "/v1/webhooks", { body: webhook, repeat: false });
  }

  /** All of the app. */
  async list(): Promise<Webhook[]> {
    return (await this.#request<{ webhooks: Webhook[] }>("GET", "/v1/webhooks")).webhooks;
  }

  /** Change one: `{ disabled: true }` pauses it. */
  change(id: string, change: ChangedWebhook): Promise<Webhook> {
    return this.#request("PATCH", pathOf(id), { body: change });
  }

  /** Delete one; nothing more is sent. */
  async delete(id: string): Promise<void> {
    await this.#request("DELETE", pathOf(id));
  }

  /** Have an event of the type `ping` sent. */
  async ping(id: string): Promise<void> {
    await this.#request("POST", `${pathOf(id)}/ping`);
  }

  /** A new secret; the former one signs too for a day, or `overlap` seconds. It is asked for once. */
  rotateSecret(id: string, overlap?: number): Promise<RotatedSecret> {
    const body = overlap === undefined ? {} : { overlap };
    return this.#request("POST", `${pathOf(id)}/secret`, { body, repeat: false });
  }
}

function pathOf(id: string): string {
  return `/v1/webhooks/${encodeURIComponent(id)}`;
}
