import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../machine.ts'

export interface FirstAnswer {
  /** From the start of the process, in milliseconds. */
  readonly milliseconds: number
  /** Resident bytes after it; `NaN` where the system does not say. */
  readonly memory: number
}

interface Program {
  /** Of Node. */
  readonly args: readonly string[]
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

/** How often it is asked, in milliseconds, which is the error. */
const STEP = 2

/** Starts a server, and asks for its metadata until it answers. */
export async function firstAnswer({ args, folder, environment }: Program): Promise<FirstAnswer> {
  const port = await freePort()
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env
  const started = performance.now()
  const server = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...inherited, ...environment, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(server, 'exit')
  const errors: string[] = []
  server.stderr.on('data', (chunk) => errors.push(String(chunk)))
  while (!(await answers(port))) {
    if (server.exitCode !== null) throw new Error(`${args} ended:\n${errors.join('')}`)
    await sleep(STEP)
  }
  const milliseconds = performance.now() - started
  const memory = residentBytes(server.pid ?? 0)
  server.kill('SIGKILL')
  await ended
  return { milliseconds, memory }
}

function answers(port: number): Promise<boolean> {
  const path = '/.well-known/oauth-authorization-server'
  const { promise, resolve } = Promise.withResolvers<boolean>()
  request({ port, host: '127.0.0.1', path, agent: false }, (answer) => {
    answer.resume()
    resolve(answer.statusCode === 200)
  })
    .on('error', () => resolve(false))
    .end()
  return promise
}

function residentBytes(id: number): number {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024
  } catch {
    return Number.NaN
  }
}
