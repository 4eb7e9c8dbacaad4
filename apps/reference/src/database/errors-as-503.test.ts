import { expect, it } from 'vitest'
import { errorsAs503, storeErrorsAs503 } from './errors-as-503.ts'

const failing = (error: unknown) => errorsAs503({ find: () => Promise.reject(error) }).find()
const withCode = (code: string) => Object.assign(new Error('failed'), { code })

it.each([
  ['SQLite', withCode('ERR_SQLITE_ERROR')],
  ['Postgres', withCode('57P01')],
  ['the network', withCode('ECONNREFUSED')],
  ['a silent database', Object.assign(new Error('no answer'), { name: 'NoAnswerError' })],
  ['a broken connection', new Error('Connection terminated unexpectedly')],
  ['a server that has become a replica', new Error('this server takes no writes; it may be a replica')],
  ['a full pool', new Error('timeout exceeded when trying to connect')],
])('an error of %s is a 503 with its cause', async (_, cause) => {
  await expect(failing(cause)).rejects.toMatchObject({ reason: 'store_unavailable', cause })
})

it.each([
  new TypeError('rows is undefined'),
  Object.assign(new TypeError('not a value'), { code: 'ERR_INVALID_ARG_TYPE' }),
  new Error('no result'),
])('a fault of the program is no outage: %s', async (fault) => {
  await expect(failing(fault)).rejects.toBe(fault)
})

it('every error of a store is a 503, except a TypeError', async () => {
  const find = (error: unknown) => storeErrorsAs503({ find: () => Promise.reject(error) }).find()
  await expect(find(new Error('The client is closed'))).rejects.toMatchObject({ reason: 'store_unavailable' })
  await expect(find(new TypeError('rows is undefined'))).rejects.toThrow(TypeError)
})
