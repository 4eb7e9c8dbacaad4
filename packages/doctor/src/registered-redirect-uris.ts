import type { KnownClient } from '@grantkit/known-clients'

/** Loopback redirect URIs that clients register next to those of their entries. */
const LOOPBACK: Readonly<Record<string, readonly string[]>> = {
  cursor: ['http://localhost:8787/callback'],
  vscode: ['http://127.0.0.1/', 'http://127.0.0.1:33418/'],
}

/** All redirect URIs that the client registers. Empty for a client that only uses loopback ones: any server accepts them. */
export function registeredUrisOf({ id, redirectUris }: KnownClient): readonly string[] {
  return [...redirectUris, ...(LOOPBACK[id] ?? [])]
}
