/** Lua: counts the keys without expiry. */
export const KEYS_WITHOUT_END = `
local count = 0
for _, key in ipairs(redis.call('keys', '*')) do
  if redis.call('ttl', key) < 0 then count = count + 1 end
end
return count`
