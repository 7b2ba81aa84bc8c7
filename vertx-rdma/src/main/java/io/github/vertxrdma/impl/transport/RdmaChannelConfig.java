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

  @Override
  @SuppressWarnings("unchecked")
  public <T> T getOption(ChannelOption<T> option) {
    if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
      return (T) Boolean.valueOf(allowHalfClosure);
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
