import { expect, it } from 'vitest'
import { schoolConfig } from './config.ts'

it('uses Fastify unless FRAMEWORK names another framework', () => {
  expect(schoolConfig({}).framework).toBe('fastify')
  expect(schoolConfig({ FRAMEWORK: '' }).framework).toBe('fastify')
  expect(schoolConfig({ FRAMEWORK: 'hono' }).framework).toBe('hono')
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
