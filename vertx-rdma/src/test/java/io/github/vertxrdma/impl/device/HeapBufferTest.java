package io.github.vertxrdma.impl.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Buffers for applications, and their slices, behave as Netty's do, and grow. */
class HeapBufferTest {
  private static final int SIZE = 200;

  private static byte[] bytes() {
    byte[] bytes = new byte[SIZE];
    new Random(7).nextBytes(bytes);
    return bytes;
  }

  /** A slice at an offset. @param whole the memory that it is a part of */
  private record Part(ByteBuf whole, ByteBuf slice) {
    static Part of(ByteBuf whole, Function<ByteBuf, ByteBuf> slice) {
      return new Part(whole, slice.apply(whole));
    }
  }

  private static List<Part> parts() {
    return List.of(Part.of(new HeapBuffer(bytes()), buffer -> buffer.slice(50, 100)),
      Part.of(new HeapBuffer(bytes()), buffer -> buffer.slice(20, 150).slice(30, 100)));
  }

  private static List<ByteBuf> slices() {
    return parts().stream().map(Part::slice).toList();
  }

  private static ByteBuf expected() {
    return Unpooled.wrappedBuffer(bytes(), 50, 100);
  }

  private static void assertSame(Function<ByteBuf, Object> read) {
    for (ByteBuf slice : slices()) {
      assertEquals(read.apply(expected()), read.apply(slice));
    }
  }

  private static void assertWritten(Consumer<ByteBuf> write) {
    ByteBuf expected = expected();
    write.accept(expected);
    for (Part part : parts()) {
      ByteBuf whole = part.whole();
      write.accept(part.slice());
      assertEquals(expected, part.slice());
      // The surrounding bytes are unchanged.
      assertArrayEquals(ByteBufUtil.getBytes(Unpooled.wrappedBuffer(bytes()), 0, 50), ByteBufUtil.getBytes(whole, 0, 50));
      assertArrayEquals(ByteBufUtil.getBytes(Unpooled.wrappedBuffer(bytes()), 150, 50), ByteBufUtil.getBytes(whole, 150, 50));
      assertEquals(expected, whole.slice(50, 100));
    }
  }

  @Test
  void valuesAreRead() {
    for (int i : new int[] {0, 3, 92}) {
      assertSame(buffer -> List.of(buffer.getByte(i), buffer.getShort(i), buffer.getShortLE(i), buffer.getMedium(i), buffer.getMediumLE(i),
        buffer.getInt(i), buffer.getIntLE(i), buffer.getLong(i), buffer.getLongLE(i), buffer.getUnsignedByte(i)));
    }
    assertSame(buffer -> buffer.indexOf(0, 100, expected().getByte(70)));
    assertSame(buffer -> buffer.toString(3, 90, StandardCharsets.ISO_8859_1));
    assertSame(ByteBuf::readableBytes);
    for (ByteBuf slice : slices()) {
      assertThrows(IndexOutOfBoundsException.class, () -> slice.getByte(100));
      assertThrows(IndexOutOfBoundsException.class, () -> slice.getLong(93));
      assertThrows(IndexOutOfBoundsException.class, () -> slice.slice(50, 51));
      assertThrows(IndexOutOfBoundsException.class, () -> slice.getBytes(-1, new byte[2]));
    }
  }

  @Test
  void valuesAreWritten() {
    assertWritten(
      buffer -> buffer.setByte(0, 1).setShort(1, 2).setShortLE(3, 3).setMedium(5, 4).setMediumLE(8, 5).setInt(11, 6).setIntLE(15, 7)
        .setLong(19, 8).setLongLE(27, 9).setLong(92, -1));
  }

  @Test
  void manyBytesAreReadAndWritten(@TempDir Path folder) throws IOException {
    assertSame(buffer -> Unpooled.buffer().writeBytes(buffer, 10, 80));
    assertSame(buffer -> ByteBuffer.wrap(ByteBufUtil.getBytes(buffer, 10, 80)));
    assertSame(buffer -> {
      ByteBuffer to = ByteBuffer.allocate(30);
      buffer.getBytes(10, to);
      return to.flip();
    });
    assertSame(buffer -> buffer.nioBuffer(10, 20));
    assertSame(buffer -> List.of(buffer.nioBuffers(10, 20)));
    assertSame(buffer -> buffer.internalNioBuffer(10, 20).slice());
    assertSame(buffer -> buffer.copy(10, 20));
    assertWritten(buffer -> buffer.setBytes(1, Unpooled.copiedBuffer("from a buffer", StandardCharsets.US_ASCII)));
    assertWritten(buffer -> buffer.setBytes(1, "from an array".getBytes(StandardCharsets.US_ASCII)));
    assertWritten(buffer -> buffer.setBytes(1, ByteBuffer.wrap("from nio".getBytes(StandardCharsets.US_ASCII))));
    assertWritten(buffer -> unchecked(() -> buffer.setBytes(1, new ByteArrayInputStream(new byte[40]), 40)));
    Path file = folder.resolve("file");
    for (ByteBuf slice : slices()) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      slice.getBytes(5, out, 10);
      assertArrayEquals(ByteBufUtil.getBytes(expected(), 5, 10), out.toByteArray());
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        assertEquals(10, slice.getBytes(5, channel, 0, 10));
        assertEquals(10, slice.getBytes(15, (GatheringByteChannel) channel.position(10), 10));
        assertEquals(20, slice.setBytes(60, channel, 0, 20));
        assertEquals(20, slice.setBytes(80, (ScatteringByteChannel) channel.position(0), 20));
      }
      assertEquals(slice.slice(5, 20), slice.slice(60, 20));
      assertEquals(slice.slice(5, 20), slice.slice(80, 20));
    }
  }

  private interface Io {
    void run() throws IOException;
  }

  private static void unchecked(Io io) {
    try {
      io.run();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theArrayIsTheBuffers() {
    for (Part part : parts()) {
      ByteBuf slice = part.slice();
      assertTrue(slice.hasArray());
      assertFalse(slice.isDirect());
      assertEquals(expected(), Unpooled.wrappedBuffer(slice.array(), slice.arrayOffset(), slice.readableBytes()));
    }
  }

  @Test
  void theyGrowAndLeaveTheRestAlone() {
    for (Part pair : parts()) {
      ByteBuf slice = pair.slice();
      ByteBuf whole = pair.whole();
      slice.setByte(0, 42);
      assertEquals(42, whole.getByte(50));
      slice.writeBytes("more".getBytes(StandardCharsets.US_ASCII)).writeLong(8);
      assertEquals(112, slice.readableBytes());
      assertEquals(expected().setByte(0, 42), slice.slice(0, 100));
      assertEquals("more", slice.toString(100, 4, StandardCharsets.US_ASCII));
      assertEquals(Unpooled.wrappedBuffer(bytes()).setByte(50, 42), whole);
      // The slice has memory of its own now.
      slice.setByte(1, ~whole.getByte(51));
      assertEquals(bytes()[51], whole.getByte(51));
      ByteBuf part = slice.slice(100, 4);
      part.writeByte('!');
      assertEquals("more!", part.toString(StandardCharsets.US_ASCII));
      assertEquals(8, slice.getLong(104));
    }
    HeapBuffer empty = new HeapBuffer(new byte[0]);
    assertEquals("x", empty.writeBytes(new byte[] {'x'}).toString(StandardCharsets.US_ASCII));
  }

  @Test
  void theyShrink() {
    for (ByteBuf slice : slices()) {
      slice.capacity(10);
      assertEquals(expected().slice(0, 10), slice);
      assertThrows(IndexOutOfBoundsException.class, () -> slice.getByte(10));
    }
  }

  /** The garbage collector frees the heap, so too many or too few releases have no effect. */
  @Test
  void heapRemainsWhileReferenced() {
    HeapBuffer buffer = new HeapBuffer(bytes());
    ByteBuf first = buffer.readRetainedSlice(50);
    assertFalse(buffer.retain().release());
    assertFalse(buffer.release(2));
    assertEquals(1, buffer.refCnt());
    assertEquals(bytes()[0], first.getByte(0));
  }

  /** Netty's decoders discard bytes of which they have passed on slices. */
  @Test
  void slicesOutliveTheBytesThatAreDiscarded() {
    HeapBuffer buffer = new HeapBuffer(bytes());
    ByteBuf part = buffer.readRetainedSlice(120);
    buffer.markReaderIndex();
    buffer.discardSomeReadBytes();
    assertEquals(Unpooled.wrappedBuffer(bytes(), 120, SIZE - 120), buffer);
    assertEquals(0, buffer.readerIndex());
    buffer.writeBytes(bytes());
    assertEquals(Unpooled.wrappedBuffer(bytes(), 0, 120), part);
    buffer.skipBytes(10).discardReadBytes();
    assertEquals(bytes()[130], buffer.getByte(0));
    assertEquals(2 * SIZE - 130, buffer.readableBytes());
    assertEquals(Unpooled.wrappedBuffer(bytes(), 0, 120), part);
  }
}
