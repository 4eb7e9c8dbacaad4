/** From here on, notes what our sources do: I/O, randomness and timers. */
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import dns from 'node:dns'
import fs from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import tls from 'node:tls'

/** What was called, and by which line. */
export const effects: string[] = []

type Members = Record<string, unknown>

/** A call from a file of ours, and not from a dependency that it loads. */
const OURS = /packages\/[^/]+\/src\/[^)]+/

function note(owner: object, names: readonly string[]): void {
  const members = owner as Members
  for (const name of names) {
    const original = members[name]
    const isGetter = Object.getOwnPropertyDescriptor(members, name)?.get !== undefined
    if (typeof original !== 'function' || isGetter) continue
    members[name] = new Proxy(original, {
      apply(target, self, input) {
        const caller = new Error().stack
          ?.split('\n')
          .slice(2)
          .find((line) => !line.includes('node:'))
        const place = OURS.exec(caller ?? '')
        if (place !== null) effects.push(`${name} by ${place[0]}`)
        return Reflect.apply(target as () => unknown, self, input)
      },
    })
  }
}

note(globalThis, ['fetch', 'setTimeout', 'setInterval', 'setImmediate'])
note(Math, ['random'])
note(globalThis.crypto, ['getRandomValues', 'randomUUID'])
note(globalThis.crypto.subtle, ['generateKey'])
const RANDOM = ['randomBytes', 'randomUUID', 'randomInt', 'randomFill', 'randomFillSync', 'getRandomValues']
note(crypto, [...RANDOM, 'generateKeyPair', 'generateKeyPairSync', 'generateKey', 'generateKeySync'])
note(net, ['connect', 'createConnection', 'createServer'])
note(tls, ['connect', 'createServer'])
for (const module of [http, https]) note(module, ['get', 'request', 'createServer'])
for (const module of [timers, timersPromises]) note(module, ['setTimeout', 'setInterval', 'setImmediate'])
for (const module of [fs, fs.promises, dns, dns.promises, childProcess]) note(module, Object.keys(module))
syncBuiltinESMExports()
