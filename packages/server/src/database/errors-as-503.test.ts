import { expect, it } from 'vitest'
import { errorsAs503, storeErrorsAs503 } from './errors-as-503.ts'

const OUTAGE = Object.assign(new Error('the connection was refused'), { code: 'ECONNREFUSED' })
const BUG = Object.assign(new Error('duplicate key'), { code: '23505' })
const UNKNOWN = new Error('The client is closed')

const ofRows = (error: unknown) => errorsAs503({ find: () => Promise.reject(error) }).find()
const ofStore = (error: unknown) => storeErrorsAs503({ find: () => Promise.reject(error) }).find()

it.each([
  ['the database', ofRows, OUTAGE],
  ['the store', ofStore, OUTAGE],
  ['a store with a driver of its own', ofStore, UNKNOWN],
])('an outage of %s is a 503 with its cause', async (_, failing, cause) => {
  await expect(failing(cause)).rejects.toMatchObject({ reason: 'store_unavailable', cause })
})

it.each([
  ['the database', ofRows, BUG],
  ['the database without a code', ofRows, UNKNOWN],
  ['the store', ofStore, BUG],
])('any other error of %s is unchanged', async (_, failing, error) => {
  await expect(failing(error)).rejects.toBe(error)
})
