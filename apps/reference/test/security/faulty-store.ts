import type { Store } from '@grantkit/core'

/**
 * Called with the name of an operation before it runs, such as `grants.replace`. If it throws, the store rejects with
 * that.
 */
export type StoreFault = (operation: string, done: () => Promise<unknown>) => Promise<unknown>

/** A real store that fails as a test wants. */
export function faultyStore(store: Store, fault: () => StoreFault | undefined): Store {
  const faulty = <R extends object>(name: string, records: R): R =>
    new Proxy(records, {
      get(target, verb) {
        const method = Reflect.get(target, verb) as (...args: unknown[]) => Promise<unknown>
        return (...args: unknown[]) => {
          const done = () => method.apply(target, args)
          return fault()?.(`${name}.${String(verb)}`, done) ?? done()
        }
      },
    })
  return {
    clients: faulty('clients', store.clients),
    grants: faulty('grants', store.grants),
    transients: store.transients && faulty('transients', store.transients),
  }
}
