package io.github.vertxrdma.impl.poll;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClosingEventLoopsTest {
  @Test
  void loopsEndWhenThoseWithoutAThreadCannotStartOne() throws Exception {
    AtomicBoolean refuses = new AtomicBoolean();
    ClosingEventLoops loops = new ClosingEventLoops(4, task -> {
      if (refuses.get()) {
        throw new OutOfMemoryError("unable to create native thread: possibly out of memory or process/resource limits reached");
      }
      return new Thread(task);
    }, NioIoHandler.newFactory());
    List<EventExecutor> all = new ArrayList<>();
    loops.forEach(all::add);
    all.get(3).submit(() -> {
    }).sync();
    refuses.set(true);
    assertTrue(loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(30, TimeUnit.SECONDS));
  }
}
