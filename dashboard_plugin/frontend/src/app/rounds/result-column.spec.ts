import { csv } from '../shared/data-table/export';
import { Rates, inOwnUnit, resultColumn } from './result-column';

test.each([
  [{ bytes: 4096 * 1000, iops: 1000 }, '1000 IOPS'],
  [{ bytes: 200 * 2 ** 20, iops: 50 }, '200.0 MiB/s'],
  [{ bytes: 2 ** 20 * 7, iops: 7 }, '7.0 MiB/s'],
  [{ bytes: null, iops: 50 }, '50 IOPS'],
  [{ bytes: 2 ** 20, iops: null }, '1.0 MiB/s'],
  [{ bytes: undefined, iops: undefined }, '–'],
])('%p is %p', (rates, text) => expect(inOwnUnit(rates)).toBe(text));

test('files have both rates, with all their digits', () => {
  const column = resultColumn<Rates>('median_', (row) => row);
  const rows = [
    { bytes: 4096.5, iops: 1.25 },
    { bytes: undefined, iops: null },
  ];
  const lines = csv(column.files ?? [], rows).split('\r\n');
  expect(lines).toEqual(['median_bytes_per_second,median_iops', '4096.5,1.25', ',', '']);
});
