package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CursorTest {
  private static final byte[] WRITTEN = write(ByteOrder.BIG_ENDIAN);

  private static byte[] write(ByteOrder order) {
    return Cursor.writing(1).order(order).u8(0xfe).u16(0xfedc).i32(-3).i64(Long.MIN_VALUE + 4).block(1, new byte[] {5, 6}).text(2, "grün")
      .list(4, List.of(7, 8), (value, out) -> out.u8(value)).bytes(new byte[] {9, 10}).toArray();
  }

  private static void read(Cursor in) {
    assertEquals(0xfe, in.u8());
    assertEquals(0xfedc, in.u16());
    assertEquals(-3, in.i32());
    assertEquals(Long.MIN_VALUE + 4, in.i64());
    assertArrayEquals(new byte[] {5, 6}, in.block(1));
    assertEquals("grün", in.text(2));
    assertEquals(List.of(7, 8), in.list(4, Cursor::u8));
    assertEquals(2, in.remaining());
    assertArrayEquals(new byte[] {9, 10}, in.rest());
    assertEquals(0, in.remaining());
  }

  @Test
  void fieldsAreReadAsWrittenInBothByteOrders() {
    read(Cursor.reading("a record", WRITTEN));
    read(Cursor.reading("a record", write(ByteOrder.LITTLE_ENDIAN)).order(ByteOrder.LITTLE_ENDIAN));
    assertEquals("fefedcfffffffd8000000000000004", HexFormat.of().formatHex(WRITTEN, 0, 15));
    assertEquals("fedcfefdffffff0400000000000080", HexFormat.of().formatHex(write(ByteOrder.LITTLE_ENDIAN), 0, 15));
  }

  @Test
  void readFailsAtEachTruncatedLength() {
    // The last two bytes have no length of their own.
    for (int length = 0; length < WRITTEN.length - 2; length++) {
      Cursor in = Cursor.reading("a record", Arrays.copyOf(WRITTEN, length));
      assertEquals("cannot read a record: it ends too early, after " + length + " bytes",
        assertThrows(IllegalArgumentException.class, () -> read(in)).getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 2, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void readFailsWhenALengthIsNegativeOrTooLong(int length) {
    byte[] bytes = Cursor.writing(8).i32(length).u8(0).toArray();
    for (Consumer<Cursor> read : List.<Consumer<Cursor>>of(in -> in.block(4), in -> in.text(4), in -> in.list(4, Cursor::u8))) {
      assertThrows(IllegalArgumentException.class, () -> read.accept(Cursor.reading("a record", bytes)));
    }
    assertThrows(IllegalArgumentException.class, () -> Cursor.reading("a record", new byte[1]).bytes(length));
  }

  @Test
  void writeFailsWhenAValueIsTooLongForItsLength() {
    byte[] longest = new byte[0xff];
    new Random(1).nextBytes(longest);
    assertArrayEquals(longest, Cursor.reading("a record", Cursor.writing(0).block(1, longest).toArray()).block(1));
    assertThrows(IllegalArgumentException.class, () -> Cursor.writing(0).block(1, new byte[0x100]));
    assertThrows(IllegalArgumentException.class, () -> Cursor.writing(0).text(2, "x".repeat(0x10000)));
    assertEquals(0xffff, Cursor.reading("a record", Cursor.writing(0).text(2, "x".repeat(0xffff)).toArray()).text(2).length());
  }
}
