// What model/packed.cpp packs: columns of whole numbers. Sizes beyond 2^53 are rounded, signs are not.
function bytesOf(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

function columnsOf(text) {
  const bytes = bytesOf(text);
  let at = 0;
  function size() {
    let value = 0, factor = 1, byte;
    do {
      byte = bytes[at++];
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte & 128);
    return value;
  }
  return function column() {
    const count = size(), numbers = new Float64Array(count);
    if (count === 0) return numbers;
    const begin = new Uint16Array(256), frequency = new Uint16Array(256), tokens = new Uint8Array(4096);
    for (let kinds = size(), sum = 0; kinds > 0; --kinds) {
      const token = bytes[at++];
      frequency[token] = size();
      begin[token] = sum;
      tokens.fill(token, sum, sum += frequency[token]);
    }
    const coded = size();
    let next = at;
    at += coded;
    const raws = size();
    let raw = at, used = 0;
    at += raws;
    let state = 0;
    for (let i = 0; i < 4; ++i) state = state * 256 + bytes[next++];
    for (let i = 0; i < count; ++i) {
      const low = state & 4095, token = tokens[low];
      state = frequency[token] * (state >>> 12) + low - begin[token];
      while (state < 8388608) state = state * 256 + bytes[next++];
      if (token < 16) {
        numbers[i] = token & 1 ? -(token + 1) / 2 : token / 2;
        continue;
      }
      const bits = (token - 16 >> 2) + 2;  // raw ones
      let value = 0, factor = 1, negative = 0;
      for (let k = 0; k < bits;) {
        const part = Math.min(bits - k, 8 - used), piece = bytes[raw] >> used & (1 << part) - 1;
        if (k === 0) negative = piece & 1;
        value += piece * factor;
        factor *= 1 << part;
        k += part;
        used += part;
        if (used === 8) {
          used = 0;
          ++raw;
        }
      }
      value += (4 + (token & 3)) * factor;
      numbers[i] = negative ? -(value + 1) / 2 : value / 2;
    }
    return numbers;
  };
}

// What PackedExact packs: to the last digit, beyond 2^53 a BigInt.
function exactColumn(column) {
  const high = column(), low = column();
  if (high.every(part => part === 0)) return low;
  return Array.from(high, (part, i) => {
    const value = part * 4294967296 + low[i];
    return Number.isSafeInteger(value) ? value : BigInt(part) * 4294967296n + BigInt(low[i]);
  });
}
