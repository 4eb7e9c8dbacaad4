/** `node add-user.ts alice` gives Alice a new password, and this server a secret if it has none. Both are in `.dev.vars`. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { hashPassword } from './users.ts'

const FILE = '.dev.vars'
const [name = ''] = process.argv.slice(2)
if (!/^[\w.@+-]+$/.test(name)) throw new Error('Name the user: node add-user.ts alice')

const kept = existsSync(FILE) ? parseEnv(readFileSync(FILE, 'utf8')) : {}
const secret = kept.SECRET ?? randomBytes(32).toString('base64url')
const password = randomBytes(12).toString('base64url')
const users = { ...JSON.parse(kept.USERS ?? '{}'), [name]: await hashPassword(password) }

writeFileSync(FILE, `SECRET=${secret}\nUSERS='${JSON.stringify(users)}'\n`, { mode: 0o600 })
console.log(`The password of ${name}: ${password}`)
