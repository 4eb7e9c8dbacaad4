/**
 * The number of the object that has a key. It may never change: records would be looked for in the wrong object.
 *
 * FNV-1a with the end of MurmurHash3, which also spreads keys that differ in their last character alone.
 */
export function positionIn(objects: number, key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % objects
}
