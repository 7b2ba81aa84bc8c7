package io.github.vertxrdma.impl.transport;

import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import java.util.HashMap;
import java.util.Map;

/** The options of a channel over the fabric. Those of sockets are accepted and kept, in case it takes TCP. Used on the event loop. */
final class RdmaChannelConfig extends DefaultChannelConfig {
  private final RdmaChannel channel;
  private final Map<ChannelOption<?>, Object> socketOptions = new HashMap<>();
  private volatile boolean allowHalfClosure;

  RdmaChannelConfig(RdmaChannel channel) {
    super(channel);
    this.channel = channel;
  }

  /** Half closure is an event, not the end. */
  boolean allowHalfClosure() {
    return allowHalfClosure;
  }

  /** Options that were set and mean something to sockets only. */
  Map<ChannelOption<?>, Object> socketOptions() {
    return socketOptions;
  }

  /**
   * Returns the pending bytes at which the channel becomes unwritable: those that were set, and the send buffer. Bytes in the send buffer
   * are pending until the stream has confirmed them.
   */
  @Override
  public int getWriteBufferHighWaterMark() {
    return withSendBuffer(getWriteBufferWaterMark().high());
  }

  /** Returns the pending bytes below which the channel becomes writable again, see {@link #getWriteBufferHighWaterMark}. */
  @Override
  public int getWriteBufferLowWaterMark() {
    return withSendBuffer(getWriteBufferWaterMark().low());
  }

  private static int withSendBuffer(int bytes) {
    return (int) Math.min((long) bytes + ChannelOutput.SEND_BUFFER, Integer.MAX_VALUE);
  }

  @Override
  @SuppressWarnings({"unchecked", "deprecation"})
  public <T> T getOption(ChannelOption<T> option) {
    if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
      return (T) Boolean.valueOf(allowHalfClosure);
    }
    if (option == ChannelOption.WRITE_BUFFER_HIGH_WATER_MARK) {
      return (T) Integer.valueOf(getWriteBufferWaterMark().high());
    }
    if (option == ChannelOption.WRITE_BUFFER_LOW_WATER_MARK) {
      return (T) Integer.valueOf(getWriteBufferWaterMark().low());
    }
    T value = super.getOption(option);
    return value == null ? (T) socketOptions.get(option) : value;
  }

  @Override
  public <T> boolean setOption(ChannelOption<T> option, T value) {
    validate(option, value);
    if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
      allowHalfClosure = (Boolean) value;
    } else if (!super.setOption(option, value)) {
      socketOptions.put(option, value);
    }
    return true;
  }

  @Override
  protected void autoReadCleared() {
    channel.autoReadCleared();
  }
}
