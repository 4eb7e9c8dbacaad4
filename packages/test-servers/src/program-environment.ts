import { fileURLToPath } from 'node:url'

/**
 * What a test passes on to a program of this repository. Without the cache, to read and compile its modules takes half of the
 * time of a command.
 */
export const PROGRAM_ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/node', import.meta.url)),
}
