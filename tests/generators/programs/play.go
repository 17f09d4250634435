// A whole game by the client that openapi-generator makes for Go: go run ./play URL APP_KEY.
// The generated package lies in the folder above, unedited.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	migrato "example.org/you/migrato"
)

const patience = 2 * time.Minute

func must[T any](answer T, _ any, err error) T {
	if refused, is := err.(*migrato.GenericOpenAPIError); is {
		log.Fatalf("%s: %s", err, refused.Body())
	}
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

func create(caller context.Context, api *migrato.APIClient) *migrato.NewlyCreated {
	human, bot := migrato.NewHumanSeat("human"), migrato.NewBotSeat("bot", "greedy")
	human.SetPlayer("ada")
	options := migrato.NewOptions()
	options.SetTurnLimit(30)
	first := "random"
	options.SetFirstSeat(migrato.StringAsOptionsFirstSeat(&first))
	wanted := migrato.NewNewGame()
	wanted.SetSeats([]migrato.NewGameSeatsInner{
		migrato.HumanSeatAsNewGameSeatsInner(human),
		migrato.BotSeatAsNewGameSeatsInner(bot),
	})
	wanted.SetOptions(migrato.NewGameOptions{Options: options})
	return must(api.GamesAPI.CreateGame(caller).NewGame(*wanted).Execute()).NewlyCreated
}

// The first legal move each time, until the result is confirmed; the game as it then is.
func play(seat context.Context, api *migrato.APIClient, game string) *migrato.GameView {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		view := must(api.GamesAPI.ViewGame(seat, game).Execute()).GameView
		if result := view.Result.Get(); result != nil && result.Scored {
			return view
		}
		if turn := view.ToAct.Get(); view.Status == "finished" || turn == nil || *turn != *view.Viewer.Get() {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		moves := must(api.MovesAPI.LegalMoves(seat, game).Execute()).Moves
		played := must(api.MovesAPI.PlayMove(seat, game).Move(moves[0]).Execute())
		if played.Version <= view.Version || len(played.Events) == 0 {
			log.Fatal("Nothing happened.")
		}
	}
	log.Fatal("The game has not ended.")
	return nil
}

func main() {
	configuration := migrato.NewConfiguration()
	configuration.Servers = migrato.ServerConfigurations{{URL: os.Args[1]}}
	api := migrato.NewAPIClient(configuration)
	app := context.WithValue(context.Background(), migrato.ContextAccessToken, os.Args[2])
	created := create(app, api)
	seat := context.WithValue(app, migrato.ContextAccessToken, created.Seats[0].GetToken())
	view := play(seat, api, created.Id)
	events := must(api.EventsAPI.GameEvents(seat, created.Id).Limit(1000).Execute()).Events
	if len(events) != int(view.Version) {
		log.Fatalf("%d events of %d", len(events), view.Version)
	}
	birds := []string{}
	for _, event := range events {
		if event.GetActualInstance() == nil {
			log.Fatal("An event is of no type.")
		}
		if played := event.BirdPlayed; played != nil {
			birds = append(birds, played.Data.GetCard())
		}
	}
	scored := events[len(events)-1].GameScored
	if scored == nil || fmt.Sprint(scored.Data.Scores) != fmt.Sprint(view.Result.Get().Scores) {
		log.Fatal("The last event is another result.")
	}
	fmt.Printf("%d events, birds %s, scores %v\n", len(events), strings.Join(birds, " "), scored.Data.Scores)
	nobody := context.Background()
	_, _, err := api.GamesAPI.ViewGame(nobody, created.Id).Execute()
	if refused, is := err.(*migrato.GenericOpenAPIError); is {
		fmt.Println(refused.Model().(migrato.Problem).Status)
	}
}
