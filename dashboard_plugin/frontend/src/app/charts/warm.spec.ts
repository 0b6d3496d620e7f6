import { jest } from '@jest/globals';
import { warm } from './warm';

test('it draws, and leaves nothing behind', () => {
  const drawn = jest.spyOn(HTMLCanvasElement.prototype, 'getContext');
  warm();
  expect(drawn).toHaveBeenCalled();
  expect(document.querySelectorAll('canvas')).toHaveLength(0);
});
