/** What the page uses of preact.js. */
export interface VNode {
  readonly type: unknown;
}
export type Child = VNode | string | number | boolean | null | undefined | readonly Child[];
export type Ref<T> = { current: T };
export const html: (strings: TemplateStringsArray, ...values: readonly any[]) => VNode;
export const h: (type: any, props: any, ...children: readonly Child[]) => VNode;
export function render(node: VNode, parent: Element): void;
export function useState<T>(first: T | (() => T)): [T, (next: T | ((before: T) => T)) => void];
export function useEffect(effect: () => void | (() => void), inputs?: readonly unknown[]): void;
export function useLayoutEffect(effect: () => void | (() => void), inputs?: readonly unknown[]): void;
export function useMemo<T>(make: () => T, inputs?: readonly unknown[]): T;
export function useRef<T>(first: T): Ref<T>;
export function useErrorBoundary(handle?: (error: Error) => void): [Error | undefined, () => void];
