/** What is used of Node, whose types are not installed here. */

declare const process: { argv: string[]; env: Record<string, string | undefined> };
