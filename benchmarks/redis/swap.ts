import { createHash } from 'node:crypto'

/** The compare-and-swap of the store: the version is the first 22 characters. */
export const SWAP = `
local version = redis.call('GETRANGE', KEYS[1], 0, 21)
if version == string.sub(ARGV[2], 1, 22) then return 1 end
if version ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EXAT', ARGV[3])
return 1`
export const SWAP_SHA1 = createHash('sha1').update(SWAP).digest('hex')
