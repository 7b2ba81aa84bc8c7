package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Handler;

/** Opens a region again after access to it was lost. Any thread. */
public interface RegionSuccessor {

  /** For granted regions, which cannot be opened. */
  RegionSuccessor NONE = new RegionSuccessor() {
    @Override
    public void handler(Handler<RemoteRegion> handler) {
    }

    @Override
    public void exceptionHandler(Handler<Throwable> handler) {
    }

    @Override
    public void cancel() {
    }
  };

  void handler(Handler<RemoteRegion> handler);

  void exceptionHandler(Handler<Throwable> handler);

  void cancel();
}
