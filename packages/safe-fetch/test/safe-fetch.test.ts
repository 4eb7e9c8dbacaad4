import { afterAll, afterEach, beforeAll, describe, it } from 'vitest'
import { safeFetch } from '../src/index.ts'
import { Bench } from './document-fetch/bench.ts'
import { STATEMENTS } from './document-fetch/statements.ts'

const issuer = 'https://server.dev/auth'

describe('safeFetch', () => {
  let bench: Bench
  beforeAll(() => {
    bench = new Bench(({ ca, deadline }) => safeFetch({ issuer, deadline, unsafeForTests: { ca } }))
  })
  afterEach(() => bench.reset())
  afterAll(() => bench.close())
  it.each(STATEMENTS)('$name', ({ prove }) => prove(bench))
})
