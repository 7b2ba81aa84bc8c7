package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.ErrorWords;
import java.util.Map;

/** German error messages, which tests add as a {@link java.util.ServiceLoader} service. */
public final class GermanWords implements ErrorWords {
  private static final Map<Integer, String> WORDS = Map.of(
    23, "Zu viele offene Dateien im System",
    24, "Zu viele offene Dateien",
    27, "Datei zu groß",
    28, "Auf dem Gerät ist kein Speicherplatz mehr verfügbar",
    98, "Die Adresse wird bereits verwendet",
    99, "Die angeforderte Adresse kann nicht zugewiesen werden",
    101, "Das Netzwerk ist nicht erreichbar",
    110, "Die Wartezeit für die Verbindung ist abgelaufen",
    111, "Verbindungsaufbau abgelehnt",
    122, "Der zugewiesene Plattenplatz (Quota) ist überschritten");

  @Override
  public String of(int errno) {
    return WORDS.get(errno);
  }
}
