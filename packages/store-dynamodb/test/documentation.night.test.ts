import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreateTableCommand, type CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { startDynalite } from '@grantkit/test-servers/dynalite'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { settingsWarnings } from '../src/index.ts'
import { SHORT_NAMES } from '../src/short-names.ts'
import { newTable } from './table-under-test.ts'

const ROOT = join(import.meta.dirname, '../../..')
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8')

/** Functions of CloudFormation, such as `!Ref`. */
const TAGS = ['!Ref', '!GetAtt'].map((tag) => ({ tag, resolve: (value: string) => value }))

it.each(['packages/store-dynamodb/README.md', 'docs/how-to/lambda.md'])(
  'the template of %s makes a table that the store can use',
  async (page) => {
    const { client, close } = await newTable(await startDynalite())
    onTestFinished(close)
    const [, template = ''] = /```yaml \[template\.yaml\]\n(.*?)```/s.exec(read(page)) ?? []
    const { Properties } = parse(template, { customTags: TAGS }).Resources.Grants
    const { AttributeDefinitions, KeySchema, BillingMode } = Properties as CreateTableCommandInput
    await client.send(
      new CreateTableCommand({ TableName: 'templated', AttributeDefinitions, KeySchema, BillingMode }),
    )
    const warnings = await settingsWarnings({ client, table: 'templated' })
    expect(warnings.filter((warning) => warning.startsWith('the key'))).toEqual([])
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'e', Enabled: true })
    expect(Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true })
  },
)

it('STORAGE.md names every short name', () => {
  const named = [...read('packages/store-dynamodb/STORAGE.md').matchAll(/`(\w{1,2})` (\w+)(?=[, ])/g)]
  const names = Object.fromEntries(named.map(([, short = '', full = '']) => [full, short]))
  expect(names).toMatchObject(SHORT_NAMES)
})
