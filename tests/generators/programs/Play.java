// A whole game by the client that openapi-generator makes for Java: java Play URL APP_KEY.
// The generated packages lie beside it, unedited.

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import migrato.ApiClient;
import migrato.ApiException;
import migrato.api.EventsApi;
import migrato.api.GamesApi;
import migrato.api.MovesApi;
import migrato.model.*;

public class Play {
    static final Duration PATIENCE = Duration.ofMinutes(2);

    static ApiClient client(String url) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(url);
        return client;
    }

    /** A client that sends the token. */
    static ApiClient client(String url, String token) {
        return client(url).setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    }

    static NewlyCreated create(ApiClient app) throws ApiException {
        NewGame wanted = new NewGame();
        wanted.setSeats(List.of(
            new NewGameSeatsInner(new HumanSeat().kind(HumanSeat.KindEnum.HUMAN).player("ada")),
            new NewGameSeatsInner(new BotSeat().kind(BotSeat.KindEnum.BOT).bot("greedy"))));
        Options options = new Options().turnLimit(30).firstSeat(new OptionsFirstSeat("random"));
        wanted.setOptions(new NewGameOptions(options));
        return new GamesApi(app).createGame(null, wanted).getNewlyCreated();
    }

    /** The first legal move each time, until the result is confirmed; the game as it then is. */
    static GameView play(ApiClient seat, String game) throws Exception {
        GamesApi games = new GamesApi(seat);
        MovesApi moves = new MovesApi(seat);
        Instant deadline = Instant.now().plus(PATIENCE);
        while (Instant.now().isBefore(deadline)) {
            GameView view = games.viewGame(game, null, null, null, null).getGameView();
            if (view.getResult() != null && view.getResult().getScored()) return view;
            boolean finished = view.getStatus() == GameView.StatusEnum.FINISHED;
            if (finished || view.getToAct() == null || !view.getToAct().equals(view.getViewer())) {
                Thread.sleep(20);
                continue;
            }
            Move first = moves.legalMoves(game, null, null, null).getMoves().get(0);
            PlayedMove played = moves.playMove(game, first, null, null, null, null);
            if (played.getVersion() <= view.getVersion() || played.getEvents().isEmpty())
                throw new IllegalStateException("Nothing happened.");
        }
        throw new IllegalStateException("The game has not ended.");
    }

    public static void main(String[] arguments) throws Exception {
        NewlyCreated created = create(client(arguments[0], arguments[1]));
        ApiClient seat = client(arguments[0], created.getSeats().get(0).getToken());
        GameView view = play(seat, created.getId());
        List<Event> events = new EventsApi(seat)
            .gameEvents(created.getId(), null, null, 1000, null, null, null, null, null, null, null, null, null, null)
            .getEvents();
        if (events.size() != view.getVersion())
            throw new IllegalStateException(events.size() + " events of " + view.getVersion());
        List<String> birds = new ArrayList<>();
        for (Event event : events)
            if (event.getActualInstance() instanceof BirdPlayed bird && bird.getData().getCard() != null)
                birds.add(bird.getData().getCard());
            else if (event.getActualInstance() == null)
                throw new IllegalStateException("An event is of no type.");
        GameScored scored = events.get(events.size() - 1).getGameScored();
        if (!scored.getData().getScores().equals(view.getResult().getScores()))
            throw new IllegalStateException("The last event is another result.");
        System.out.printf("%d events, birds %s, scores %s%n", events.size(), String.join(" ", birds), scored.getData().getScores());
        try {
            new GamesApi(client(arguments[0])).viewGame(created.getId(), null, null, null, null);
        } catch (ApiException refused) {
            System.out.println(refused.getCode());
        }
    }
}
