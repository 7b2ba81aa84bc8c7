package io.github.vertxrdma.referee;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Bugs of the region that a client calls. */
public enum Plant {
  NOTHING(null, (remote, region, method, arguments) -> method.invoke(remote, arguments)),

  /** Every tenth answer to an addition is lost, and the addition is repeated. */
  ADDED_TWICE(Use.ATOMIC, (remote, region, method, arguments) -> {
    if (method.getName().equals("fetchAndAdd") && (long) arguments[1] % 10 == 1) {
      return remote.fetchAndAdd((long) arguments[0], (long) arguments[1])
        .compose(lost -> remote.fetchAndAdd((long) arguments[0], (long) arguments[1]));
    }
    return method.invoke(remote, arguments);
  }),

  /** A read of a revoked region returns its old content. */
  STALE_READ(Use.ATOMIC, (remote, region, method, arguments) -> {
    if (!method.getName().equals("read")) {
      return method.invoke(remote, arguments);
    }
    long offset = (long) arguments[0];
    int length = (int) arguments[1];
    return remote.read(offset, length)
      .otherwise(revoked -> Buffer.buffer(region.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE)));
  }),

  STALE_PLAIN_READ(Use.PLAIN, STALE_READ.bug),

  /** Every tenth plain write completes at once, and takes effect later. */
  LATE_WRITE(Use.PLAIN, (remote, region, method, arguments) -> {
    if (method.getName().equals("write") && ((Buffer) arguments[1]).getLongLE(0) % 10 == 1) {
      remote.read((long) arguments[0], Long.BYTES).onComplete(later -> remote.write((long) arguments[0], (Buffer) arguments[1]));
      return Future.succeededFuture();
    }
    return method.invoke(remote, arguments);
  }),

  /** An exchange is executed by the client, while the owner executes additions. */
  TWO_AUTHORITIES(Use.ATOMIC, (remote, region, method, arguments) -> {
    if (!method.getName().equals("compareAndExchange")) {
      return method.invoke(remote, arguments);
    }
    return remote.fetchAndAdd((long) arguments[0], 0).map(found -> {
      if (found == (long) arguments[1]) {
        region.segment().set(ValueLayout.JAVA_LONG, (long) arguments[0], (long) arguments[2]);
      }
      return found;
    });
  });

  private interface Bug {
    Object call(RemoteRegion remote, MemoryRegion region, Method method, Object[] arguments) throws ReflectiveOperationException;
  }

  private final Use use;
  private final Bug bug;

  Plant(Use use, Bug bug) {
    this.use = use;
    this.bug = bug;
  }

  /** Returns the use whose histories show the bug, or null. */
  public Use use() {
    return use;
  }

  /** @param region the owner's region of the same memory */
  RemoteRegion into(RemoteRegion remote, MemoryRegion region) {
    return this == NOTHING ? remote
      : (RemoteRegion) Proxy.newProxyInstance(Plant.class.getClassLoader(), new Class<?>[] {RemoteRegion.class},
        (proxy, method, arguments) -> {
          try {
            Object result = bug.call(remote, region, method, arguments);
            return result instanceof RemoteRegion other ? into(other, region) : result;
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }
}
