import { describe, expect, test } from 'vitest'
import { Budget, OutOfBudget } from './budget.ts'

const LIMITS = { requests: 5, grants: 2, seconds: 60, rate: 100_000 }

describe('the budget', () => {
  test('ends a run at its requests', async () => {
    const budget = new Budget(LIMITS)
    await budget.take(4)
    await expect(budget.take(2)).rejects.toThrow(OutOfBudget)
  })

  test('keeps one request for each grant, to revoke it at the end', async () => {
    const budget = new Budget(LIMITS)
    budget.takeGrant()
    await budget.take(4)
    await expect(budget.take()).rejects.toThrow('5 requests')
    budget.endRun()
    await budget.take()
    expect(budget.requests).toBe(5)
  })

  test('ends a run at its grants', () => {
    const budget = new Budget(LIMITS)
    budget.takeGrant()
    budget.takeGrant()
    expect(() => budget.takeGrant()).toThrow('2 grants')
  })

  test('ends a run whose server asks for a longer pause than there is time', async () => {
    const budget = new Budget(LIMITS)
    budget.pause('120')
    await expect(budget.take()).rejects.toThrow('60 seconds')
  })

  test('lowers a limit and never raises it', async () => {
    const budget = new Budget(LIMITS)
    budget.cap(300)
    await expect(budget.take(6)).rejects.toThrow('5 requests')
    budget.cap(1)
    await expect(budget.take(2)).rejects.toThrow('1 requests')
  })
})
