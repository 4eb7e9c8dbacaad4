import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { relative } from 'node:path'
import { afterAll, expect } from 'vitest'
import { EXCEPTIONS } from './exceptions.ts'

/**
 * A test of the gate that starts a program fails, also if it does so by a lazy import, which `gate-imports.test.ts` does not
 * follow: the program may be missing, and it may be slow.
 */
const test = relative(`${import.meta.dirname}/../..`, expect.getState().testPath ?? '')

const { spawn } = childProcess.ChildProcess.prototype as unknown as { spawn: unknown }
const { spawnSync, execFileSync, execSync } = childProcess

function replace(program: object, sync: object): void {
  Object.assign(childProcess.ChildProcess.prototype, program)
  Object.assign(childProcess, sync)
  syncBuiltinESMExports()
}

function refuse(): never {
  throw new Error(`${test} starts a program: name it *.night.test.ts`)
}

if (!(test in EXCEPTIONS)) {
  replace({ spawn: refuse }, { spawnSync: refuse, execFileSync: refuse, execSync: refuse })
  afterAll(() => replace({ spawn }, { spawnSync, execFileSync, execSync }))
}
