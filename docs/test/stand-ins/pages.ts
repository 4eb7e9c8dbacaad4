import type { Interaction } from '@grantkit/core'

export declare const interaction: Interaction
