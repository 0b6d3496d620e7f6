import { prefetch } from './prefetch';

test('one after the other, whatever becomes of each', async () => {
  const loaded: number[] = [];
  const chunk = (number: number) => async (): Promise<void> => {
    loaded.push(number);
    if (number === 1) await Promise.reject(new Error('gone'));
  };
  await prefetch(() => false, [chunk(0), chunk(1), chunk(2)]);
  expect(loaded).toEqual([0, 1, 2]);
});

test('nothing more once the element is gone', async () => {
  const loaded: number[] = [];
  const chunk = (): Promise<number> => Promise.resolve(loaded.push(1));
  await prefetch(() => loaded.length > 0, [chunk, chunk]);
  expect(loaded).toHaveLength(1);
});
