package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Connections with one peer that can use TCP or a fabric, which change together: a request may pass several of them, and each direction
 * gains only if both ends poll. One of the two nodes decides, and the other one follows. Thread-safe.
 */
final class PeerMeasure {
  private static final int TICK_MILLIS = 20;

  private final EventLoop loop;
  private final ProcessIdentity peer;
  private final MoveMeasure measure;
  private final List<MoveTraffic> channels = new ArrayList<>();
  private final AtomicBoolean asleep = new AtomicBoolean(true);
  private final Pace pace = new Pace();
  /** Bytes and messages of connections that have ended. */
  private long pastBytes;
  private long pastMessages;

  /** @param peer null if it is unknown */
  PeerMeasure(EventLoop loop, ProcessIdentity peer, MoveMeasure.Processors processors) {
    this.loop = loop;
    this.peer = peer;
    this.measure = new MoveMeasure(processors);
  }

  boolean isAsleep() {
    return asleep.get();
  }

  boolean isOf(ProcessIdentity process) {
    return Objects.equals(peer, process) || peer != null && process != null && peer.sameProcess(process);
  }

  /** Adds a connection, which is busy. */
  void add(MoveTraffic channel) {
    LoopCall.run(loop, () -> {
      channels.add(channel);
      pastBytes -= channel.bytes();
      pastMessages -= channel.messages();
      use(channel);
      wake();
    });
  }

  void remove(MoveTraffic channel) {
    LoopCall.run(loop, () -> {
      if (channels.remove(channel)) {
        pastBytes += channel.bytes();
        pastMessages += channel.messages();
      }
    });
  }

  /** Called after some messages or bytes of a connection. */
  void busy() {
    if (asleep.get() && pace.isBusy(System.nanoTime())) {
      wake();
    }
  }

  private void wake() {
    if (asleep.compareAndSet(true, false)) {
      LoopCall.run(loop, () -> {
        tickLater();
        measure.wake(System.nanoTime(), bytes(), messages());
        useAll(false);
      });
    }
  }

  private void tickLater() {
    loop.schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    boolean before = measure.usesFabric();
    measure.tick(System.nanoTime(), bytes(), messages());
    if (measure.isAsleep()) {
      asleep.set(true);
    } else {
      tickLater();
    }
    useAll(before);
  }

  private void useAll(boolean before) {
    if (measure.usesFabric() != before) {
      // A connection whose fabric fails meanwhile is removed.
      List.copyOf(channels).forEach(this::use);
    }
  }

  private void use(MoveTraffic channel) {
    boolean byFabric = measure.usesFabric();
    LoopCall.run(channel.loop(), () -> channel.decided(this, byFabric));
  }

  private long bytes() {
    return pastBytes + channels.stream().mapToLong(MoveTraffic::bytes).sum();
  }

  private long messages() {
    return pastMessages + channels.stream().mapToLong(MoveTraffic::messages).sum();
  }
}
