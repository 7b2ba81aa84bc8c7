package io.github.vertxrdma.base;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Resolves host names with a time limit. The resolver of the system waits 30 s or longer for a silent name server, and cannot be
 * interrupted. So a separate thread resolves each name. Thread-safe.
 */
public final class HostLookup {
  public static final HostLookup SYSTEM = new HostLookup(InetAddress::getByName);

  private static final long LATE_MILLIS = 1_000;

  private final Resolver resolver;
  private final Map<String, FutureTask<InetAddress>> pending = new ConcurrentHashMap<>();

  /** Resolves a host name. Blocks. */
  public interface Resolver {
    InetAddress resolve(String host) throws UnknownHostException;
  }

  public HostLookup(Resolver resolver) {
    this.resolver = resolver;
  }

  /**
   * Returns the address of a host. Blocks for at most {@code millis}.
   *
   * @throws UnknownHostException with the cause as a part of a sentence
   */
  public InetAddress find(String host, long millis) throws UnknownHostException, InterruptedException {
    return find(host, millis, () -> {
    });
  }

  /**
   * Like {@link #find(String, long)}.
   *
   * @param late called if there is no answer after one second and more time is left
   */
  public InetAddress find(String host, long millis, Runnable late) throws UnknownHostException, InterruptedException {
    FutureTask<InetAddress> answer = pending.computeIfAbsent(host, this::start);
    long first = Math.min(millis, LATE_MILLIS);
    try {
      try {
        return answer.get(first, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (first < millis) {
          late.run();
        }
      }
      return answer.get(millis - first, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new UnknownHostException("no name server answered within " + millis + " ms");
    } catch (ExecutionException e) {
      throw new UnknownHostException("there is no host of that name");
    }
  }

  private FutureTask<InetAddress> start(String host) {
    FutureTask<InetAddress> answer = new FutureTask<>(() -> resolver.resolve(host)) {
      @Override
      protected void done() {
        pending.remove(host, this);
      }
    };
    Thread.ofPlatform().daemon().name("vertx-rdma-lookup").start(answer);
    return answer;
  }
}
