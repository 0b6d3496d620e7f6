import { csv, json } from './export';

interface Row {
  readonly name: string;
  readonly value: number | null;
}
const columns = [
  { key: 'name', value: (row: Row) => row.name },
  { key: 'value', value: (row: Row) => row.value },
];

test.each<[string, Row, string]>([
  ['plain', { name: 'a', value: 1.5 }, 'a,1.5'],
  ['no data is empty', { name: 'a', value: null }, 'a,'],
  ['quotes are doubled', { name: 'say "a", b', value: 0 }, '"say ""a"", b",0'],
  ['a line break is kept', { name: 'a\nb', value: 0 }, '"a\nb",0'],
  ['no formula runs', { name: '=1+1', value: -2 }, "'=1+1,-2"],
])('csv: %s', (_, row, line) => expect(csv(columns, [row])).toBe(`name,value\r\n${line}\r\n`));

test('json has an object a row', () => {
  expect(JSON.parse(json(columns, [{ name: 'a', value: null }]))).toEqual([
    { name: 'a', value: null },
  ]);
});
