/**
 * Client metadata that features read, by the names of RFC 7591. A feature declares the types of its members by declaration
 * merging: `declare module '@grantkit/core/feature' { interface FeatureMetadata { readonly badge_colour?: string } }`.
 */
export interface FeatureMetadata {
  readonly [member: string]: unknown
}
