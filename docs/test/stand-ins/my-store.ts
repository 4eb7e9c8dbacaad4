import type { Store } from '@grantkit/core'

export declare function createMyStore(options: { now?: () => number } | { url: string }): Store
