package io.github.vertxrdma.impl.memory;

import io.netty.buffer.AbstractDerivedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.util.Objects;

/**
 * A part of registered memory that is handed to an application, which may append to it. It shares the buffer's memory until it has to grow: then it
 * moves to the heap, and what lies behind it in the buffer stays as it is.
 */
@SuppressWarnings("deprecation")
public final class GrowingSlice extends AbstractDerivedByteBuf {
  private ByteBuf memory;
  private int offset;
  private int length;

  public GrowingSlice(ByteBuf memory, int offset, int length) {
    super(Integer.MAX_VALUE);
    Objects.checkFromIndexSize(offset, length, memory.capacity());
    this.memory = memory;
    this.offset = offset;
    this.length = length;
    writerIndex(length);
  }

  @Override
  public int capacity() {
    return length;
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    checkNewCapacity(newCapacity);
    if (newCapacity > length) {
      byte[] bytes = new byte[newCapacity];
      memory.getBytes(offset, bytes, 0, length);
      memory = new HeapBuffer(bytes);
      offset = 0;
    } else {
      trimIndicesToCapacity(newCapacity);
    }
    length = newCapacity;
    return this;
  }

  private int at(int index, int size) {
    checkIndex(index, size);
    return offset + index;
  }

  // ---- one value

  @Override
  protected byte _getByte(int index) {
    return memory.getByte(offset + index);
  }

  @Override
  protected short _getShort(int index) {
    return memory.getShort(offset + index);
  }

  @Override
  protected short _getShortLE(int index) {
    return memory.getShortLE(offset + index);
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return memory.getUnsignedMedium(offset + index);
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return memory.getUnsignedMediumLE(offset + index);
  }

  @Override
  protected int _getInt(int index) {
    return memory.getInt(offset + index);
  }

  @Override
  protected int _getIntLE(int index) {
    return memory.getIntLE(offset + index);
  }

  @Override
  protected long _getLong(int index) {
    return memory.getLong(offset + index);
  }

  @Override
  protected long _getLongLE(int index) {
    return memory.getLongLE(offset + index);
  }

  @Override
  protected void _setByte(int index, int value) {
    memory.setByte(offset + index, value);
  }

  @Override
  protected void _setShort(int index, int value) {
    memory.setShort(offset + index, value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    memory.setShortLE(offset + index, value);
  }

  @Override
  protected void _setMedium(int index, int value) {
    memory.setMedium(offset + index, value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    memory.setMediumLE(offset + index, value);
  }

  @Override
  protected void _setInt(int index, int value) {
    memory.setInt(offset + index, value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    memory.setIntLE(offset + index, value);
  }

  @Override
  protected void _setLong(int index, long value) {
    memory.setLong(offset + index, value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    memory.setLongLE(offset + index, value);
  }

  // ---- many bytes

  @Override
  public ByteBuf getBytes(int index, ByteBuf to, int at, int size) {
    memory.getBytes(at(index, size), to, at, size);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] to, int at, int size) {
    memory.getBytes(at(index, size), to, at, size);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer to) {
    memory.getBytes(at(index, to.remaining()), to);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream to, int size) throws IOException {
    memory.getBytes(at(index, size), to, size);
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel to, int size) throws IOException {
    return memory.getBytes(at(index, size), to, size);
  }

  @Override
  public int getBytes(int index, FileChannel to, long position, int size) throws IOException {
    return memory.getBytes(at(index, size), to, position, size);
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf from, int at, int size) {
    memory.setBytes(at(index, size), from, at, size);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] from, int at, int size) {
    memory.setBytes(at(index, size), from, at, size);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer from) {
    memory.setBytes(at(index, from.remaining()), from);
    return this;
  }

  @Override
  public int setBytes(int index, InputStream from, int size) throws IOException {
    return memory.setBytes(at(index, size), from, size);
  }

  @Override
  public int setBytes(int index, ScatteringByteChannel from, int size) throws IOException {
    return memory.setBytes(at(index, size), from, size);
  }

  @Override
  public int setBytes(int index, FileChannel from, long position, int size) throws IOException {
    return memory.setBytes(at(index, size), from, position, size);
  }

  // ---- views

  @Override
  public ByteBuf slice(int index, int size) {
    return new GrowingSlice(memory, at(index, size), size);
  }

  @Override
  public ByteBuf copy(int index, int size) {
    return memory.copy(at(index, size), size);
  }

  @Override
  public ByteBuffer nioBuffer(int index, int size) {
    return memory.nioBuffer(at(index, size), size);
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int size) {
    return memory.nioBuffers(at(index, size), size);
  }

  @Override
  public ByteBuffer internalNioBuffer(int index, int size) {
    return nioBuffer(index, size);
  }

  @Override
  public int nioBufferCount() {
    return memory.nioBufferCount();
  }

  @Override
  public boolean hasArray() {
    return memory.hasArray();
  }

  @Override
  public byte[] array() {
    return memory.array();
  }

  @Override
  public int arrayOffset() {
    return memory.arrayOffset() + offset;
  }

  @Override
  public boolean hasMemoryAddress() {
    return memory.hasMemoryAddress();
  }

  @Override
  public long memoryAddress() {
    return memory.memoryAddress() + offset;
  }

  @Override
  public boolean isDirect() {
    return memory.isDirect();
  }

  @Override
  public ByteOrder order() {
    return memory.order();
  }

  @Override
  public ByteBufAllocator alloc() {
    return memory.alloc();
  }

  @Override
  public ByteBuf unwrap() {
    return memory;
  }
}
