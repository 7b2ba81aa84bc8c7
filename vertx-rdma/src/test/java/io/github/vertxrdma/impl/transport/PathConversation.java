package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.TimeUnit;

final class PathConversation {
  private long now = -5;
  private ServiceEntry published = entry(1);
  private final ProvenPaths paths = new ProvenPaths((DirectoryBackend) Proxy.newProxyInstance(PathConversation.class.getClassLoader(),
    new Class<?>[] {DirectoryBackend.class}, (proxy, method, arguments) -> List.of(published)), () -> now);

  private PathConversation() {
  }

  private static ServiceEntry entry(long epoch) {
    return new ServiceEntry("tcp/10.0.0.1:8080", "node", epoch, 0, List.of(), new JsonObject());
  }

  static long count() {
    return 2;
  }

  static String found(long seed) {
    return seed % 2 == 0 ? new PathConversation().confirmed() : new PathConversation().foreign();
  }

  private String confirmed() {
    if (paths.isConfirmed(published)) {
      return "an address is confirmed without a proof";
    }
    paths.note(published, false);
    now += TimeUnit.SECONDS.toNanos(10) - 1;
    if (!paths.isConfirmed(published) || paths.isForeign(published)) {
      return "a confirmation does not hold for ten seconds";
    }
    now++;
    return paths.isConfirmed(published) ? "a confirmation holds for more than ten seconds" : null;
  }

  private String foreign() {
    ServiceEntry former = published;
    paths.note(former, true);
    now += TimeUnit.DAYS.toNanos(1);
    if (!paths.isForeign(former) || paths.isConfirmed(former)) {
      return "another process is not remembered while the directory has the entry";
    }
    published = entry(2);
    if (paths.isForeign(published)) {
      return "another process is remembered for a new entry";
    }
    paths.note(published, false);
    return paths.isForeign(former) ? "an entry that the directory does not have is remembered" : null;
  }
}
