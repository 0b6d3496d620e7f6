import { TestBed } from '@angular/core/testing';
import { savedFiles } from '../../../testing/saving';
import { button, until } from '../../../testing/settle';
import { world } from '../../../testing/recorded';
import { TableQuery, minor } from './column';
import { DataTableComponent } from './data-table.component';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly speed: number | null;
}
const ROWS: readonly Row[] = Array.from({ length: 30 }, (_, id) => ({
  id,
  name: `osd.${id}`,
  speed: id === 7 ? null : (id * 13) % 30,
}));

function table(inputs: Readonly<Record<string, unknown>> = {}) {
  TestBed.configureTestingModule({ providers: world().providers });
  const fixture = TestBed.createComponent<DataTableComponent<Row>>(DataTableComponent);
  const given = {
    name: 'things',
    file: 'things',
    rowId: (row: Row) => row.id,
    rows: ROWS,
    columns: [
      { key: 'name', title: 'Name', value: (row: Row) => row.name, sortable: true },
      {
        key: 'speed',
        title: 'Speed',
        value: (row: Row) => row.speed,
        sortable: true,
        figure: true,
      },
    ],
    ...inputs,
  };
  for (const [name, value] of Object.entries(given)) fixture.componentRef.setInput(name, value);
  const queries: TableQuery[] = [];
  fixture.componentInstance.query.subscribe((query) => queries.push(query));
  const element = fixture.nativeElement as HTMLElement;
  const names = (): (string | undefined)[] =>
    [...element.querySelectorAll('tbody tr')].map((row) =>
      row.querySelector('td')?.textContent.trim(),
    );
  return { fixture, queries, element, names };
}

test('each cell has the name of its column, for a phone, where a row is a block', async () => {
  const columns = [
    { key: 'name', title: 'Name', value: (row: Row) => row.name },
    { key: 'speed', title: 'Speed', value: (row: Row) => row.speed, sortable: true },
    { key: 'tick', title: '', value: (row: Row) => row.id, help: 'Tick it.' },
  ];
  const { fixture, element } = table({ columns });
  await until(fixture, (text) => text.includes('osd.0'));
  const cells = [...element.querySelectorAll('tbody tr:first-child td')];
  expect(cells.map((cell) => cell.getAttribute('data-title'))).toEqual(['Name', 'Speed', null]);
  // Heads with nothing to do are not shown there.
  const idle = [...element.querySelectorAll('th.pb-table__idle')];
  expect(idle.map((head) => head.textContent.trim())).toEqual(['Name']);
});

test('a column of less need is marked, with its head', async () => {
  const name = (row: Row): string => row.name;
  const columns = [{ key: 'name', title: 'Name', value: name }];
  const took = minor({ key: 'took', title: 'Took', value: name });
  const { fixture, element } = table({ columns: [...columns, took] });
  await until(fixture, (text) => text.includes('osd.0'));
  const marked = [...element.querySelectorAll('tr:first-child .pb-table__minor')];
  expect(marked.map((one) => one.textContent.trim())).toEqual(['Took', 'osd.0']);
});

test('what a column means shows while its head has the focus, and is told to who hears it', async () => {
  const columns = [
    { key: 'name', title: 'Name', value: (row: Row) => row.name, help: 'Its name.' },
    {
      key: 'speed',
      title: 'Speed',
      value: (row: Row) => row.speed,
      sortable: true,
      help: 'MiB/s.',
    },
    { key: 'id', title: 'ID', value: (row: Row) => row.id },
  ];
  const { fixture, element } = table({ columns });
  await until(fixture, (text) => text.includes('osd.0'));
  const tip = (): string | undefined => element.querySelector('.pb-tip')?.textContent.trim();
  for (const [name, help] of [
    ['Name', 'Its name.'],
    ['Speed', 'MiB/s.'],
  ] as const) {
    const head = [...element.querySelectorAll('th button')].find((one) =>
      one.textContent.includes(name),
    )!;
    const told = element.querySelector(`#${head.getAttribute('aria-describedby')}`);
    expect(told?.textContent).toBe(help);
    head.dispatchEvent(new Event('focusin', { bubbles: true }));
    fixture.detectChanges();
    expect(tip()).toBe(help);
    head.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    fixture.detectChanges();
    expect(tip()).toBeUndefined();
  }
  expect(element.querySelectorAll('th button')).toHaveLength(2);
});

test('a local table pages through what it has', async () => {
  const { fixture, names } = table();
  await until(fixture, (text) => text.includes('1–25 of 30'));
  button(fixture, 'Next page').click();
  await until(fixture, (text) => text.includes('26–30 of 30'));
  expect(names()).toEqual(['osd.25', 'osd.26', 'osd.27', 'osd.28', 'osd.29']);
  expect(button(fixture, 'Next page').disabled).toBe(true);
});

test('sorting goes by figures and by names as people count; no data stays last', async () => {
  const { fixture, names, element } = table({ pageSize: 50 });
  await fixture.whenStable();
  const [name, speed] = element.querySelectorAll<HTMLButtonElement>('.pb-table__sort');
  const heads = element.querySelectorAll('th');
  speed?.click();
  await fixture.whenStable();
  expect([heads[1]?.getAttribute('aria-sort'), names()[0], names().at(-1)]).toEqual([
    'descending',
    'osd.23',
    'osd.7',
  ]);
  speed?.click();
  await fixture.whenStable();
  expect([heads[1]?.getAttribute('aria-sort'), names()[0], names().at(-1)]).toEqual([
    'ascending',
    'osd.0',
    'osd.7',
  ]);
  name?.click();
  await fixture.whenStable();
  expect(names().slice(0, 3)).toEqual(['osd.0', 'osd.1', 'osd.2']);
});

test('a search narrows, and says so when nothing fits', async () => {
  const { fixture, element, names } = table();
  await fixture.whenStable();
  const field = element.querySelector<HTMLInputElement>('input[type=search]')!;
  field.value = 'OSD.2';
  field.dispatchEvent(new Event('input'));
  await until(fixture, (text) => text.includes('1–11 of 11'));
  expect(names()).toContain('osd.29');
  field.value = 'zebra';
  field.dispatchEvent(new Event('input'));
  await until(fixture, (text) => text.includes('Nothing matches.'));
});

test('a remote table asks for its page, order and search, and shows rows as they come', async () => {
  const { fixture, queries, element, names } = table({ rows: ROWS.slice(5, 8), total: 300 });
  await until(fixture, (text) => text.includes('1–25 of 300'));
  expect(names()).toEqual(['osd.5', 'osd.6', 'osd.7']);
  button(fixture, 'Next page').click();
  element.querySelector<HTMLButtonElement>('.pb-table__sort')?.click();
  expect(queries).toEqual([
    { offset: 25, limit: 25, sort: '', search: '' },
    { offset: 0, limit: 25, sort: '+name', search: '' },
  ]);
});

test('it never stands past the end when rows have gone', async () => {
  const { fixture } = table();
  await fixture.whenStable();
  button(fixture, 'Next page').click();
  await until(fixture, (text) => text.includes('26–30'));
  fixture.componentRef.setInput('rows', ROWS.slice(0, 12));
  await until(fixture, (text) => text.includes('1–12 of 12'));
});

test('a file has what a column gives for it instead of its own value', async () => {
  const saved = savedFiles();
  const name = { key: 'name', title: 'Name', value: (row: Row) => row.name };
  const speed = { key: 'speed', value: (row: Row) => row.speed };
  const told = { key: 'told', title: 'Told', value: (row: Row) => `${row.speed} MiB/s` };
  const columns = [name, { ...told, files: [speed] }, { ...told, key: 'do', files: [] }];
  const { fixture } = table({ columns, rows: ROWS.slice(0, 2) });
  await until(fixture, (text) => text.includes('13 MiB/s'));
  button(fixture, 'Export: things, CSV').click();
  await until(fixture, () => saved.length > 0);
  expect(await saved[0]?.text).toBe('name,speed\r\nosd.0,0\r\nosd.1,13\r\n');
});
