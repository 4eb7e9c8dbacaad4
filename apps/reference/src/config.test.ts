import { expect, it } from 'vitest'
import { schoolConfig } from './config.ts'

it('uses Fastify unless FRAMEWORK names another framework', () => {
  expect(schoolConfig({}).framework).toBe('fastify')
  expect(schoolConfig({ FRAMEWORK: '' }).framework).toBe('fastify')
  expect(schoolConfig({ FRAMEWORK: 'hono' }).framework).toBe('hono')
})

it('lets items be removed without a passkey, unless PASSKEY_TO_REMOVE demands one', () => {
  expect(schoolConfig({}).passkeyToRemove).toBe(false)
  expect(schoolConfig({ STEP_UP: 'on', PASSKEY_TO_REMOVE: 'on' }).passkeyToRemove).toBe(true)
})

it.each([
  [{ PASSKEY_TO_REMOVE: 'on' }, 'PASSKEY_TO_REMOVE needs STEP_UP=on'],
  [{ STEP_UP: 'on', PASSKEY_TO_REMOVE: 'yes' }, 'PASSKEY_TO_REMOVE must be on or off, not "yes"'],
])('does not start with %o', (environment, problem) => {
  const problems = [expect.stringContaining(problem)]
  expect(() => schoolConfig(environment)).toThrow(expect.objectContaining({ problems }))
})

it('lists a wrong FRAMEWORK, with its value, together with the other problems', () => {
  expect(() => schoolConfig({ FRAMEWORK: 'koa', PORT: 'many' })).toThrow(
    expect.objectContaining({
      problems: [
        'FRAMEWORK must be fastify, express or hono, not "koa"',
        'PORT must be a number, not "many"',
      ],
    }),
  )
})

it('does not start with its demo accounts at a public address, though NODE_ENV is not set', () => {
  const missing = ['DATABASE_URL', 'SECRET', 'KEYS_FILE'].map((name) => expect.stringContaining(name))
  expect(() => schoolConfig({ BASE_URL: 'https://school.example' })).toThrow(
    expect.objectContaining({ problems: missing }),
  )
})
