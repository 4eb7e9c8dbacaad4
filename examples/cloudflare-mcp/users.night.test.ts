import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, it } from 'vitest'
import { copyOut } from '../copy-out.ts'
import { hashPassword, hasUser, passwordMatches } from './users.ts'

it('a password matches its own user alone', async () => {
  const users = JSON.stringify({
    alice: await hashPassword('wonderland'),
    bob: await hashPassword('builder'),
  })
  const matches = (name: string, password: unknown) => passwordMatches(users, name, password)
  expect(await matches('alice', 'wonderland')).toBe(true)
  expect(await matches('bob', 'wonderland')).toBe(false)
  expect(await matches('__proto__', undefined)).toBe(false)
  for (const unknown of ['carol', '', '__proto__', 'toString']) expect(hasUser(users, unknown)).toBe(false)
})

it('add-user.ts keeps the secret and the other users, in a file for its owner alone', async () => {
  const folder = copyOut(import.meta.dirname)
  const file = join(folder, '.dev.vars')
  const addUser = (name: string) => {
    const line = execFileSync(process.execPath, ['add-user.ts', name], { cwd: folder, encoding: 'utf8' })
    return { password: line.trim().split(': ')[1], kept: parseEnv(readFileSync(file, 'utf8')) }
  }
  const alice = addUser('alice')
  const bob = addUser('bob')
  expect(bob.kept.SECRET).toBe(alice.kept.SECRET)
  expect(bob.kept.SECRET).toMatch(/^.{43}$/)
  expect(await passwordMatches(bob.kept.USERS ?? '', 'alice', alice.password)).toBe(true)
  expect(await passwordMatches(bob.kept.USERS ?? '', 'bob', bob.password)).toBe(true)
  expect(statSync(file).mode & 0o077).toBe(0)
})
