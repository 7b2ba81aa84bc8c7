package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import java.util.Map;

/**
 * Settings {@code verbs.…} of {@link io.github.vertxrdma.provider.EndpointOptions#settings()}; docs/verbs.adoc describes them.
 *
 * @param pathMtu bytes; 0 for the smaller MTU of both ports
 * @param timeout code of the acknowledgement timeout, 4.096 µs x 2^timeout; -1 for the default
 */
record EndpointSettings(int serviceLevel, int trafficClass, int pathMtu, int timeout, int retries, int rnrRetries,
  int rnrTimer) {
  /** Code for 327 ms before each retry while the peer has no receive posted (RNR). Six retries last 2 s. */
  private static final int RNR_TIMER = 30;
  /** Less than 7, which the driver rxe treats as unlimited. A dead peer would then never be noticed. */
  private static final int RETRIES = 6;
  private static final int MOST_TIMEOUT = 31;
  private static final double TIMEOUT_UNIT_MILLIS = 4.096e-3;

  static EndpointSettings of(Map<String, String> settings) {
    return new EndpointSettings(number(settings, "verbs.service-level", 0, 0, 15),
      number(settings, "verbs.traffic-class", 0, 0, 255), number(settings, "verbs.path-mtu", 0, 0, 4096),
      number(settings, "verbs.timeout", -1, -1, 31), number(settings, "verbs.retry", RETRIES, 0, 7),
      number(settings, "verbs.rnr-retry", 6, 0, 7),
      number(settings, "verbs.rnr-timer", RNR_TIMER, 0, 31));
  }

  private static int number(Map<String, String> settings, String key, int fallback, int least, int most) {
    String value = settings.getOrDefault(key, System.getProperty("vertx.rdma." + key));
    try {
      int number = value == null ? fallback : Integer.decode(value.trim());
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The exception below reports this value.
    }
    throw new ProviderException(ProviderException.Reason.INVALID,
      key + " is '" + value + "'; it must be a number from " + least + " to " + most);
  }

  /**
   * Returns the timeout code for an {@link ExchangedConnection}. All retries together last at least the connect timeout, because the first
   * write waits for the peer.
   */
  int timeout(int connectTimeoutMillis) {
    int least = 0;
    while (least < MOST_TIMEOUT && TIMEOUT_UNIT_MILLIS * (1L << least) * (retries + 1) < connectTimeoutMillis) {
      least++;
    }
    return Math.max(least, timeout);
  }

  int mtuCode(int fallback) {
    return pathMtu == 0 ? fallback : Math.clamp(Integer.numberOfTrailingZeros(Integer.highestOneBit(pathMtu)) - 7, 1, 5);
  }
}
