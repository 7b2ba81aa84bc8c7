package io.github.vertxrdma.impl.transport;

import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import java.util.HashMap;
import java.util.Map;

/** Options of a channel. Socket options apply to TCP connections only. */
final class RdmaChannelConfig extends DefaultChannelConfig {
  private final RdmaChannel channel;
  private final Map<ChannelOption<?>, Object> socketOptions = new HashMap<>();
  private volatile boolean allowHalfClosure;

  RdmaChannelConfig(RdmaChannel channel) {
    super(channel);
    this.channel = channel;
  }

  boolean allowHalfClosure() {
    return allowHalfClosure;
  }

  Map<ChannelOption<?>, Object> socketOptions() {
    return socketOptions;
  }

  /** Adds the send buffer, whose bytes Netty counts as pending until they are confirmed. */
  @Override
  public int getWriteBufferHighWaterMark() {
    return withSendBuffer(getWriteBufferWaterMark().high());
  }

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
