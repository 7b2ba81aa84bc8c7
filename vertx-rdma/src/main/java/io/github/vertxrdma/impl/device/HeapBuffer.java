package io.github.vertxrdma.impl.device;

import io.netty.buffer.AbstractByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.util.Arrays;

/**
 * Heap buffer of a received message, to which the application may append. A slice shares the array until the slice grows; Netty's slices
 * cannot grow. Not reference-counted, like Vert.x's heap buffers.
 */
@SuppressWarnings("deprecation")
public final class HeapBuffer extends AbstractByteBuf {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  private byte[] array;
  private int offset;
  private int length;

  public HeapBuffer(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  private HeapBuffer(byte[] array, int offset, int length) {
    super(Integer.MAX_VALUE);
    this.array = array;
    this.offset = offset;
    this.length = length;
    writerIndex(length);
  }

  public static HeapBuffer copyOf(MemorySegment memory) {
    return copyOf(memory, 0, (int) memory.byteSize());
  }

  public static HeapBuffer copyOf(MemorySegment memory, long at, int size) {
    byte[] bytes = new byte[size];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, bytes, 0, size);
    return new HeapBuffer(bytes);
  }

  public static HeapBuffer copyOf(ByteBuf buffer) {
    return new HeapBuffer(ByteBufUtil.getBytes(buffer));
  }

  private static VarHandle view(Class<?> type) {
    return MethodHandles.byteArrayViewVarHandle(type, ByteOrder.BIG_ENDIAN).withInvokeExactBehavior();
  }

  private int at(int index, int size) {
    checkIndex(index, size);
    return offset + index;
  }

  @Override
  public int capacity() {
    return length;
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    checkNewCapacity(newCapacity);
    if (newCapacity > length) {
      byte[] larger = new byte[newCapacity];
      System.arraycopy(array, offset, larger, 0, length);
      array = larger;
      offset = 0;
    } else {
      trimIndicesToCapacity(newCapacity);
    }
    length = newCapacity;
    return this;
  }

  /** Drops read bytes without moving other bytes, which slices may share. */
  @Override
  public ByteBuf discardReadBytes() {
    int read = readerIndex();
    int left = readableBytes();
    offset += read;
    length -= read;
    setIndex(0, left);
    adjustMarkers(read);
    return this;
  }

  @Override
  public ByteBuf discardSomeReadBytes() {
    return discardReadBytes();
  }

  @Override
  protected byte _getByte(int index) {
    return array[offset + index];
  }

  @Override
  protected short _getShort(int index) {
    return (short) SHORT.get(array, offset + index);
  }

  @Override
  protected short _getShortLE(int index) {
    return Short.reverseBytes(_getShort(index));
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return (_getShort(index) & 0xffff) << 8 | _getByte(index + 2) & 0xff;
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return _getShortLE(index) & 0xffff | (_getByte(index + 2) & 0xff) << 16;
  }

  @Override
  protected int _getInt(int index) {
    return (int) INT.get(array, offset + index);
  }

  @Override
  protected int _getIntLE(int index) {
    return Integer.reverseBytes(_getInt(index));
  }

  @Override
  protected long _getLong(int index) {
    return (long) LONG.get(array, offset + index);
  }

  @Override
  protected long _getLongLE(int index) {
    return Long.reverseBytes(_getLong(index));
  }

  @Override
  protected void _setByte(int index, int value) {
    array[offset + index] = (byte) value;
  }

  @Override
  protected void _setShort(int index, int value) {
    SHORT.set(array, offset + index, (short) value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    _setShort(index, Short.reverseBytes((short) value));
  }

  @Override
  protected void _setMedium(int index, int value) {
    _setShort(index, value >>> 8);
    _setByte(index + 2, value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    _setShortLE(index, value);
    _setByte(index + 2, value >>> 16);
  }

  @Override
  protected void _setInt(int index, int value) {
    INT.set(array, offset + index, value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    _setInt(index, Integer.reverseBytes(value));
  }

  @Override
  protected void _setLong(int index, long value) {
    LONG.set(array, offset + index, value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    _setLong(index, Long.reverseBytes(value));
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuf to, int at, int size) {
    to.setBytes(at, array, at(index, size), size);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] to, int at, int size) {
    System.arraycopy(array, at(index, size), to, at, size);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer to) {
    to.put(array, at(index, to.remaining()), to.remaining());
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream to, int size) throws IOException {
    to.write(array, at(index, size), size);
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel to, int size) throws IOException {
    return to.write(nioBuffer(index, size));
  }

  @Override
  public int getBytes(int index, FileChannel to, long position, int size) throws IOException {
    return to.write(nioBuffer(index, size), position);
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf from, int at, int size) {
    from.getBytes(at, array, at(index, size), size);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] from, int at, int size) {
    System.arraycopy(from, at, array, at(index, size), size);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer from) {
    int size = from.remaining();
    from.get(array, at(index, size), size);
    return this;
  }

  @Override
  public int setBytes(int index, InputStream from, int size) throws IOException {
    return from.read(array, at(index, size), size);
  }

  @Override
  public int setBytes(int index, ScatteringByteChannel from, int size) throws IOException {
    return from.read(nioBuffer(index, size));
  }

  @Override
  public int setBytes(int index, FileChannel from, long position, int size) throws IOException {
    return from.read(nioBuffer(index, size), position);
  }

  @Override
  public ByteBuf slice(int index, int size) {
    return new HeapBuffer(array, at(index, size), size);
  }

  @Override
  public ByteBuf copy(int index, int size) {
    int from = at(index, size);
    return new HeapBuffer(Arrays.copyOfRange(array, from, from + size));
  }

  @Override
  public ByteBuffer nioBuffer(int index, int size) {
    return ByteBuffer.wrap(array, at(index, size), size).slice();
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int size) {
    return new ByteBuffer[] {nioBuffer(index, size)};
  }

  @Override
  public ByteBuffer internalNioBuffer(int index, int size) {
    return nioBuffer(index, size);
  }

  @Override
  public int nioBufferCount() {
    return 1;
  }

  @Override
  public boolean isContiguous() {
    return true;
  }

  @Override
  public boolean hasArray() {
    return true;
  }

  @Override
  public byte[] array() {
    return array;
  }

  @Override
  public int arrayOffset() {
    return offset;
  }

  @Override
  public boolean hasMemoryAddress() {
    return false;
  }

  @Override
  public long memoryAddress() {
    throw new UnsupportedOperationException("a buffer on the heap has no address");
  }

  @Override
  public boolean isDirect() {
    return false;
  }

  @Override
  public ByteOrder order() {
    return ByteOrder.BIG_ENDIAN;
  }

  @Override
  public ByteBufAllocator alloc() {
    return UnpooledByteBufAllocator.DEFAULT;
  }

  @Override
  public ByteBuf unwrap() {
    return null;
  }

  @Override
  public int refCnt() {
    return 1;
  }

  @Override
  public ByteBuf retain() {
    return this;
  }

  @Override
  public ByteBuf retain(int more) {
    return this;
  }

  @Override
  public ByteBuf touch() {
    return this;
  }

  @Override
  public ByteBuf touch(Object hint) {
    return this;
  }

  @Override
  public boolean release() {
    return false;
  }

  @Override
  public boolean release(int fewer) {
    return false;
  }
}
