import { afterAll } from 'vitest'

/** Hono's server for Node puts classes of its own in the place of these, also for the files that the worker runs next. */
const { Request, Response } = globalThis
afterAll(() => void Object.assign(globalThis, { Request, Response }))
