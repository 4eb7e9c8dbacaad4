import { afterAll } from 'vitest'

/** Hono's Node server replaces these classes globally, also for later files in the same worker. */
const { Request, Response } = globalThis
afterAll(() => void Object.assign(globalThis, { Request, Response }))
